import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { newId } from '../../src/ids.ts'
import {
  emptyBody,
  entityNotFound,
  houseNotFound,
  invalid,
  moderatedHouse,
  noPermission,
  withEvents,
} from '../support/permissions.ts'
import { call, db, houseRoom, noAuth, user } from '../support/world.ts'

async function orderIn(entityId: string) {
  const rows = await db
    .selectFrom('entity_rooms')
    .select('room_id')
    .where('entity_id', '=', entityId)
    .orderBy('position')
    .execute()
  return rows.map((row) => row.room_id)
}

async function prepared() {
  const den = await moderatedHouse(permission.MANAGE_ROOMS)
  const hidden = await houseRoom(den, { default_deny: permission.READ_MESSAGES })
  const last = await houseRoom(den)
  const second = newId()
  await db
    .insertInto('entities')
    .values({ id: second, house_id: den.id, name: 'More', position: 1 })
    .execute()
  const path = `/houses/${den.id}/entities/${den.entity_id}`
  const to = (...ids: string[]) => ({
    resource_pointers: ids.map((resource_id) => ({ resource_type: 'room', resource_id })),
  })
  return { ...den, hidden, last, second, path, to }
}

test('reordering leaves what the caller cannot read in its place, unseen', async () => {
  const den = await prepared()
  const { answer, events } = await withEvents(() =>
    call(den.moderator, 'PATCH', den.path, den.to(den.last, den.room_id)),
  )
  expect(answer.status).toBe(200)
  expect(answer.body.data.resource_pointers).toEqual(den.to(den.last, den.room_id).resource_pointers)
  expect(await orderIn(den.entity_id)).toEqual([den.last, den.hidden, den.room_id])
  expect(events).toEqual([{ type: 'entities_updated', house_id: den.id }])
})

test('a room named in another entity moves in', async () => {
  const den = await prepared()
  const answer = await call(
    den.moderator,
    'PATCH',
    `/houses/${den.id}/entities/${den.second}`,
    den.to(den.last),
  )
  expect(answer.status).toBe(200)
  expect(await orderIn(den.second)).toEqual([den.last])
  expect(await orderIn(den.entity_id)).toEqual([den.room_id, den.hidden])
})

test('pointers that leave a room out, repeat one, or name what is not there are refused', async () => {
  const [den, other] = [await prepared(), await prepared()]
  for (const ids of [
    [den.room_id],
    [],
    [den.room_id, den.last, den.last],
    [den.room_id, den.last, den.hidden],
    [den.room_id, den.last, other.room_id],
    [den.room_id, den.last, 'x'],
  ]) {
    const { answer, events } = await withEvents(() =>
      call(den.moderator, 'PATCH', den.path, { name: 'x', ...den.to(...ids) }),
    )
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(invalid('resource_pointers'))
    expect(events).toEqual([])
  }
  expect(await orderIn(den.entity_id)).toEqual([den.room_id, den.hidden, den.last])
})

test('a changed position moves the others; past the end means last; what changes nothing tells nobody', async () => {
  const den = await prepared()
  const answer = await call(den.moderator, 'PATCH', den.path, { position: 7, name: 'New' })
  expect(answer.body.data).toMatchObject({ id: den.entity_id, position: 1, name: 'New' })
  const rows = await db
    .selectFrom('entities')
    .select(['id', 'position'])
    .where('house_id', '=', den.id)
    .orderBy('position')
    .execute()
  expect(rows).toEqual([
    { id: den.second, position: 0 },
    { id: den.entity_id, position: 1 },
  ])
  for (const fields of [{ position: 1, name: 'New' }, { shiny: 1 }]) {
    const again = await withEvents(() => call(den.moderator, 'PATCH', den.path, fields))
    expect(again.answer.status).toBe(200)
    expect(again.events).toEqual([])
  }
})

test('an edit that is empty, wrong, not allowed or from outside is refused', async () => {
  const den = await prepared()
  expect((await call(den.owner, 'PATCH', den.path, {})).body).toEqual(emptyBody)
  expect((await call(den.owner, 'PATCH', den.path, { position: -1 })).body).toEqual(invalid('position'))
  expect((await call(den.owner, 'PATCH', den.path, { resource_pointers: [{}] })).body).toEqual(
    invalid('resource_pointers'),
  )
  expect((await call(den.member, 'PATCH', den.path, { name: 'x' })).body).toEqual(noPermission)
  expect((await call(den.member, 'PATCH', `/houses/${den.id}/entities/x`, { name: 'x' })).body).toEqual(
    entityNotFound,
  )
  expect((await call(await user(), 'PATCH', den.path, { name: 'x' })).body).toEqual(houseNotFound)
  expect((await call(null, 'PATCH', den.path, { name: 'x' })).body).toEqual(noAuth)
})

test('an entity with rooms stays; an empty one goes, and the others close up', async () => {
  const den = await prepared()
  const full = await call(den.moderator, 'DELETE', den.path)
  expect(full.body.error.code).toBe('entity_not_empty')
  const path = `/houses/${den.id}/entities/${den.second}`
  expect((await call(den.member, 'DELETE', path)).body).toEqual(noPermission)
  const { answer, events } = await withEvents(() => call(den.moderator, 'DELETE', path))
  expect(answer.body.data).toEqual({ id: den.second, house_id: den.id })
  expect(events).toEqual([{ type: 'entities_updated', house_id: den.id }])
  expect((await call(den.moderator, 'DELETE', path)).body).toEqual(entityNotFound)
})
