import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { newId } from '../../../src/ids.ts'
import { watching } from '../../support/houses.ts'
import {
  emptyBody,
  entityNotFound,
  houseNotFound,
  invalid,
  moderatedHouse,
  noPermission,
  told,
} from '../../support/permissions.ts'
import { call, db, houseRoom, user } from '../../support/world.ts'

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

test('reordering keeps unreadable rooms in their places', async () => {
  const den = await prepared()
  const { answer, events } = await watching(() =>
    call(den.moderator, 'PATCH', den.path, den.to(den.last, den.room_id)),
  )
  expect(answer.status).toBe(200)
  expect(answer.body.data.resource_pointers).toEqual(den.to(den.last, den.room_id).resource_pointers)
  expect(await orderIn(den.entity_id)).toEqual([den.last, den.hidden, den.room_id])
  expect(events).toEqual([{ type: 'entities_updated', house_id: den.id }])
})

test('a room of another entity moves to this one', async () => {
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

test('pointers that omit, repeat or invent a room answer invalid_schema', async () => {
  const [den, other] = [await prepared(), await prepared()]
  for (const ids of [
    [den.room_id],
    [],
    [den.room_id, den.last, den.last],
    [den.room_id, den.last, den.hidden],
    [den.room_id, den.last, other.room_id],
    [den.room_id, den.last, 'x'],
  ]) {
    const { answer, events } = await watching(() =>
      call(den.moderator, 'PATCH', den.path, { name: 'x', ...den.to(...ids) }),
    )
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(invalid('resource_pointers'))
    expect(events).toEqual([])
  }
  expect(await orderIn(den.entity_id)).toEqual([den.room_id, den.hidden, den.last])
})

test('a position shifts the others, past the end means last, and no change sends no event', async () => {
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
  const moved = await watching(() => call(den.moderator, 'PATCH', den.path, { position: 0 }))
  expect(moved.events).toEqual([{ type: 'entities_updated', house_id: den.id }])
  for (const fields of [{ position: 0, name: 'New' }, { shiny: 1 }]) {
    const again = await watching(() => call(den.moderator, 'PATCH', den.path, fields))
    expect(again.answer.status).toBe(200)
    expect(again.events).toEqual([])
  }
})

test('an empty body and wrong fields answer invalid_schema', async () => {
  const den = await prepared()
  const edit = (body: unknown) => call(den.owner, 'PATCH', den.path, body)
  for (const body of [undefined, {}, null]) expect(told(await edit(body))).toEqual([400, emptyBody])
  for (const [field, value] of [
    ['name', ' '],
    ['position', -1],
    ['resource_pointers', [{}]],
    ['type', 2],
  ] as const) {
    expect(told(await edit({ [field]: value }))).toEqual([400, invalid(field)])
  }
})

test('without MANAGE_ROOMS an update answers no_permission, for an unknown entity entity_not_found', async () => {
  const [den, other] = [await prepared(), await prepared()]
  expect(told(await call(den.member, 'PATCH', den.path, { name: 'x' }))).toEqual([400, noPermission])
  for (const id of ['x', '1', other.second]) {
    for (const caller of [den.member, den.moderator]) {
      const answer = await call(caller, 'PATCH', `/houses/${den.id}/entities/${id}`, { name: 'x' })
      expect(told(answer)).toEqual([404, entityNotFound])
    }
  }
})

test('a foreign or unknown house answers house_not_found', async () => {
  const den = await prepared()
  expect(told(await call(await user(), 'PATCH', den.path, { name: 'x' }))).toEqual([404, houseNotFound])
  for (const id of ['1', 'x']) {
    const answer = await call(den.owner, 'PATCH', `/houses/${id}/entities/${den.second}`, { name: 'x' })
    expect(told(answer)).toEqual([404, houseNotFound])
  }
})
