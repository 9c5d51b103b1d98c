import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { watching } from '../support/houses.ts'
import {
  houseNotFound,
  moderatedHouse,
  noPermission,
  roomNotFound,
  told,
  wrongRoomType,
} from '../support/permissions.ts'
import { roomRow } from '../support/rooms.ts'
import { untilDiscarded } from '../support/store.ts'
import { whileFileIsSent } from '../support/waiting.ts'
import { call, db, failure, group, houseRoom, message, oneToOne, user } from '../support/world.ts'

// Two paths delete a room.
const paths = {
  '/rooms/:id': (_house: string, id: string) => `/rooms/${id}`,
  '/houses/:id/rooms/:room_id': (house: string, id: string) => `/houses/${house}/rooms/${id}`,
}

test.each(Object.entries(paths))(
  'DELETE %s takes messages along, gives files up, and tells the house',
  async (_, path) => {
    const den = await moderatedHouse(permission.MANAGE_ROOMS)
    const id = await houseRoom(den)
    const sent = await message(id, den.member, { mentions: [den.owner] })
    await db
      .updateTable('messages')
      .set({ attachment: JSON.stringify({ key: 'k' }) })
      .where('id', '=', sent)
      .execute()
    const { answer, events } = await watching(() => call(den.moderator, 'DELETE', path(den.id, id)))
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({ id, house_id: den.id })
    expect(events).toEqual([
      {
        type: 'room_deleted',
        room_id: id,
        house_id: den.id,
        room: { default_allow: 0, default_deny: 0, permission_overrides: null },
      },
      { type: 'entities_updated', house_id: den.id },
    ])
    expect(await roomRow(id)).toBeUndefined()
    for (const table of ['mentions', 'entity_rooms'] as const) {
      expect(await db.selectFrom(table).select('room_id').where('room_id', '=', id).execute()).toEqual([])
    }
    await untilDiscarded(`attachments/${id}/k`)
    const messages = db.selectFrom('messages').select('room_id').where('room_id', '=', id)
    expect(await messages.execute()).toEqual([])
    expect(told(await call(den.owner, 'GET', `/rooms/${id}`))).toEqual([404, roomNotFound])
    expect(told(await call(den.owner, 'DELETE', path(den.id, id)))).toEqual([404, roomNotFound])
  },
)

test('the file of a message that is sent concurrently is discarded', async () => {
  const den = await moderatedHouse()
  const id = await houseRoom(den)
  const { answer, file } = await whileFileIsSent(id, den.member, () =>
    call(den.owner, 'DELETE', `/rooms/${id}`),
  )
  expect(answer.status).toBe(200)
  await untilDiscarded(file)
})

test('the last room answers last_room; of two concurrent deletions one fails', async () => {
  const den = await moderatedHouse()
  const id = await houseRoom(den)
  const answers = await Promise.all(
    [id, den.room_id].map((one) => call(den.owner, 'DELETE', `/rooms/${one}`)),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
  expect(answers.find((answer) => answer.status === 400)!.body).toEqual(
    failure('last_room', 'A house must keep at least one room'),
  )
  const left = await db.selectFrom('rooms').select('id').where('house_id', '=', den.id).execute()
  expect(left).toHaveLength(1)
})

test('without MANAGE_ROOMS deleting a room answers no_permission on both paths', async () => {
  const den = await moderatedHouse(permission.MANAGE_ROLES)
  const id = await houseRoom(den)
  for (const path of Object.values(paths)) {
    for (const caller of [den.member, den.moderator]) {
      expect(told(await call(caller, 'DELETE', path(den.id, id)))).toEqual([400, noPermission])
    }
  }
  expect(await roomRow(id)).toBeDefined()
})

test('a private room answers method_not_allowed_on_room_type', async () => {
  const [ann, ben] = [await user(), await user()]
  for (const id of [await group(ann, ben), await oneToOne(ann, ben)]) {
    expect(told(await call(ann, 'DELETE', `/rooms/${id}`))).toEqual([400, wrongRoomType])
    expect(await roomRow(id)).toBeDefined()
  }
})

test('a room of another house, hidden, or unknown answers room_not_found', async () => {
  const [den, other] = [await moderatedHouse(permission.MANAGE_ROOMS), await moderatedHouse()]
  const hidden = await houseRoom(den, { default_deny: permission.READ_MESSAGES })
  for (const url of [
    `/houses/${den.id}/rooms/${other.room_id}`,
    `/houses/${den.id}/rooms/x`,
    `/houses/${den.id}/rooms/${hidden}`,
    `/rooms/${hidden}`,
    `/rooms/${other.room_id}`,
    '/rooms/1',
    '/rooms/x',
  ]) {
    expect([url, ...told(await call(den.moderator, 'DELETE', url))]).toEqual([url, 404, roomNotFound])
  }
  expect(await roomRow(hidden)).toBeDefined()
})

test('the path of a foreign house answers house_not_found', async () => {
  const [den, other] = [await moderatedHouse(), await moderatedHouse()]
  for (const house of [other.id, '1', 'x']) {
    const answer = await call(den.owner, 'DELETE', `/houses/${house}/rooms/${other.room_id}`)
    expect(told(answer)).toEqual([404, houseNotFound])
  }
})
