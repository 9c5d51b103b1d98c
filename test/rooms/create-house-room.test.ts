import { expect, test } from 'vitest'
import { newId } from '../../src/ids.ts'
import { call, type Den, db, failure, house, user } from '../support/world.ts'

async function entityOf(roomId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('entity_rooms')
    .select('entity_id')
    .where('room_id', '=', roomId)
    .executeTakeFirst()
  return row?.entity_id
}

/** Makes a room without naming an entity, and gives its id. */
async function unplacedRoom(den: Den): Promise<string> {
  const answer = await call(den.owner, 'POST', `/houses/${den.id}/rooms`, { name: 'new' })
  expect(answer.status).toBe(200)
  return answer.body.data.id
}

async function entity(den: Den, name: string, position: number): Promise<string> {
  const id = newId()
  await db.insertInto('entities').values({ id, house_id: den.id, name, position }).execute()
  return id
}

test('a room without a named entity goes into the one named Rooms, wherever that stands', async () => {
  const den = await house({ owner: await user() })
  await db.updateTable('entities').set({ position: 1 }).where('id', '=', den.entity_id).execute()
  await entity(den, 'First', 0)
  expect(await entityOf(await unplacedRoom(den))).toBe(den.entity_id)
})

test('where no entity is named Rooms, a room goes into the first by position', async () => {
  const den = await house({ owner: await user() })
  await db.updateTable('entities').set({ name: 'Old', position: 1 }).where('id', '=', den.entity_id).execute()
  const first = await entity(den, 'First', 0)
  expect(await entityOf(await unplacedRoom(den))).toBe(first)
})

test('in a house without entities a room goes into none', async () => {
  const den = await house({ owner: await user() })
  await db.deleteFrom('entity_rooms').where('entity_id', '=', den.entity_id).execute()
  await db.deleteFrom('entities').where('id', '=', den.entity_id).execute()
  expect(await entityOf(await unplacedRoom(den))).toBeUndefined()
})

test('a house has at most 500 rooms, also when the last two arrive at once', async () => {
  const den = await house({ owner: await user() })
  const rows = Array.from({ length: 498 }, (_, index) => ({
    id: newId(),
    house_id: den.id,
    type: 0,
    name: 'room',
    position: index + 1,
  }))
  await db.insertInto('rooms').values(rows).execute()
  const path = `/houses/${den.id}/rooms`
  const answers = await Promise.all([1, 2, 3].map(() => call(den.owner, 'POST', path, { name: 'x' })))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400])
  expect(answers.find((answer) => answer.status === 400)!.body).toEqual(
    failure('limit_reached', 'You have reached a limit (rooms)'),
  )
  const kept = await db.selectFrom('rooms').select('id').where('house_id', '=', den.id).execute()
  expect(kept).toHaveLength(500)
})
