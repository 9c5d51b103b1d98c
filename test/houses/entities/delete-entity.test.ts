import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { newId } from '../../../src/ids.ts'
import { watching } from '../../support/houses.ts'
import {
  entityNotFound,
  houseNotFound,
  moderatedHouse,
  noPermission,
  told,
} from '../../support/permissions.ts'
import { call, db, failure, houseRoom, user } from '../../support/world.ts'

/** A house with an entity that has a room, and two empty entities after it. */
async function scene(bits: number = permission.MANAGE_ROOMS) {
  const den = await moderatedHouse(bits)
  const [empty, last] = [newId(), newId()]
  await db
    .insertInto('entities')
    .values([
      { id: empty, house_id: den.id, name: 'Empty', position: 1 },
      { id: last, house_id: den.id, name: 'Last', position: 2 },
    ])
    .execute()
  return { ...den, empty, last, at: (id: string) => `/houses/${den.id}/entities/${id}` }
}

function entitiesOf(houseId: string) {
  return db
    .selectFrom('entities')
    .select(['id', 'position'])
    .where('house_id', '=', houseId)
    .orderBy('position')
    .execute()
}

test('deletion of an empty entity shifts the others, and sends an event to the house', async () => {
  const den = await scene()
  const { answer, events } = await watching(() => call(den.moderator, 'DELETE', den.at(den.empty)))
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ id: den.empty, house_id: den.id })
  expect(events).toEqual([{ type: 'entities_updated', house_id: den.id }])
  expect(await entitiesOf(den.id)).toEqual([
    { id: den.entity_id, position: 0 },
    { id: den.last, position: 1 },
  ])
  expect(told(await call(den.moderator, 'DELETE', den.at(den.empty)))).toEqual([404, entityNotFound])
})

test('an entity with rooms answers entity_not_empty', async () => {
  const den = await scene()
  const full = await watching(() => call(den.moderator, 'DELETE', den.at(den.entity_id)))
  expect(told(full.answer)).toEqual([400, failure('entity_not_empty', 'That entity still contains rooms')])
  expect(full.events).toEqual([])
  expect(await entitiesOf(den.id)).toHaveLength(3)
})

test('an entity with unreadable rooms only answers entity_not_empty', async () => {
  const den = await scene()
  const hidden = await houseRoom(den, { default_deny: permission.READ_MESSAGES })
  await db.updateTable('entity_rooms').set({ entity_id: den.empty }).where('room_id', '=', hidden).execute()
  const answer = await call(den.moderator, 'DELETE', den.at(den.empty))
  expect(told(answer)).toEqual([400, failure('entity_not_empty', 'That entity still contains rooms')])
  expect(await entitiesOf(den.id)).toHaveLength(3)
})

test('an entity deleted by concurrent requests is deleted once', async () => {
  const den = await scene()
  const answers = await Promise.all([1, 2].map(() => call(den.owner, 'DELETE', den.at(den.empty))))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404])
})

test('a room that moves to an entity during its deletion is never in none', async () => {
  for (let round = 0; round < 5; round += 1) {
    const den = await scene()
    const body = { parent_entity_id: den.empty }
    const [gone, moved] = await Promise.all([
      call(den.owner, 'DELETE', den.at(den.empty)),
      call(den.owner, 'PATCH', `/rooms/${den.room_id}`, body),
    ])
    expect([gone!.status, moved!.status].sort()).toEqual([200, 400])
    const places = db.selectFrom('entity_rooms').select('entity_id').where('room_id', '=', den.room_id)
    expect(await places.execute()).toHaveLength(1)
  }
})

test('without MANAGE_ROOMS deleting an entity answers no_permission', async () => {
  const den = await scene(permission.MANAGE_ROLES)
  for (const caller of [den.member, den.moderator]) {
    expect(told(await call(caller, 'DELETE', den.at(den.empty)))).toEqual([400, noPermission])
  }
  expect(await entitiesOf(den.id)).toHaveLength(3)
})

test('an entity of another house, and an unknown one, answer entity_not_found', async () => {
  const [den, other] = [await scene(), await scene()]
  for (const id of [other.empty, '1', 'x']) {
    expect(told(await call(den.owner, 'DELETE', den.at(id)))).toEqual([404, entityNotFound])
  }
  expect(await entitiesOf(other.id)).toHaveLength(3)
})

test('a foreign or unknown house answers house_not_found', async () => {
  const den = await scene()
  expect(told(await call(await user(), 'DELETE', den.at(den.empty)))).toEqual([404, houseNotFound])
  for (const id of ['1', 'x']) {
    const answer = await call(den.owner, 'DELETE', `/houses/${id}/entities/${den.empty}`)
    expect(told(answer)).toEqual([404, houseNotFound])
  }
})
