import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { idAhead } from '../../support/id-ahead.ts'
import { listRows } from '../../support/messages.ts'
import { lastMessageId } from '../../support/rooms.ts'
import { call, db, house, houseRoom, published, user } from '../../support/world.ts'

test('concurrent sends to several rooms have rising ids per room, and events in that order', async () => {
  const people = await Promise.all(Array.from({ length: 8 }, () => user()))
  const den = await house({ owner: people[0]!, members: people.slice(1) })
  const rooms = [den.room_id, await houseRoom(den), await houseRoom(den)]
  const before = published.length
  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, n) =>
      call(people[n % 8]!, 'POST', `/rooms/${rooms[n % 3]}/messages`, { content: `message ${n}` }),
    ),
  )
  expect(answers.every((answer) => answer.status === 200)).toBe(true)
  for (const roomId of rooms) {
    const events = published.slice(before).filter((event) => 'room_id' in event && event.room_id === roomId)
    const ids = events.map((event) => (event.type === 'message_created' ? event.message_id : ''))
    expect(ids).toEqual((await listRows(roomId)).map((row) => row.id))
    expect(ids).toHaveLength(40)
    expect(await lastMessageId(roomId)).toBe(ids.at(-1))
  }
})

test('after a greater id of another process in one of two rooms, both get their messages', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const other = await houseRoom(den)
  const ahead = idAhead()
  const heads = db.updateTable('room_heads').set({ last_message_id: ahead })
  await heads.where('room_id', '=', den.room_id).execute()
  const answers = await Promise.all(
    [den.room_id, other, den.room_id].map((id, n) => {
      return call(ann, 'POST', `/rooms/${id}/messages`, { content: `message ${n}` })
    }),
  )
  const [first, elsewhere, second] = answers.map((answer) => BigInt(answer.body.data.id))
  expect([first, second].every((id) => id! > BigInt(ahead))).toBe(true)
  expect((await listRows(den.room_id)).map((row) => row.id).sort()).toEqual(
    [first, second].map(String).sort(),
  )
  expect((await listRows(other)).map((row) => row.id)).toEqual([String(elsewhere)])
})

test('one row that the database refuses fails one request only', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  // Of this room alone: other tests may have written the same.
  const isTaken = sql`room_id <> ${sql.lit(room_id)} or content <> 'refused'`
  await db.schema.alterTable('messages').addCheckConstraint('no_boom', isTaken).execute()
  onTestFinished(() => db.schema.alterTable('messages').dropConstraint('no_boom').execute())
  const contents = ['one', 'two', 'refused', 'three', 'four']
  const answers = await Promise.all(
    contents.map((content) => call(ann, 'POST', `/rooms/${room_id}/messages`, { content })),
  )
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 500, 200, 200])
  expect((await listRows(room_id)).map((row) => row.content).sort()).toEqual(['four', 'one', 'three', 'two'])
})
