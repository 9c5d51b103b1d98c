import { expect, test } from 'vitest'
import { removeMessages } from '../../../src/messages/removal/operations.ts'
import { attach } from '../../support/houses.ts'
import { statementsOf } from '../../support/statements.ts'
import { isDiscarded } from '../../support/store.ts'
import { call, db, group, house, houseRoom, message, user } from '../../support/world.ts'

const removesMessages = /delete from messages where room_id/
const removesRoom = /delete from "(?:houses|rooms)"/

async function countRows(roomId: string): Promise<number[]> {
  return Promise.all(
    (['messages', 'mentions'] as const).map(async (table) => {
      const rows = await db.selectFrom(table).select('room_id').where('room_id', '=', roomId).execute()
      return rows.length
    }),
  )
}

test.each([0, 1, 2, 4, 5])(
  'a room with %i messages is emptied a few at a time, and only that room',
  async (count) => {
    const [ann, ben] = [await user(), await user()]
    const den = await house({ owner: ann, members: [ben] })
    const other = await houseRoom(den)
    const files: string[] = []
    for (let i = 0; i < count; i += 1) {
      files.push(await attach(den.room_id, await message(den.room_id, ben, { mentions: [ann] })))
      await message(other, ben, { mentions: [ann] })
    }
    const statements = await statementsOf(() =>
      db.transaction().execute((trx) => removeMessages(trx, [den.room_id], 2)),
    )
    expect(statements.filter(({ text }) => removesMessages.test(text))).toHaveLength(
      Math.floor(count / 2) + 1,
    )
    expect(await countRows(den.room_id)).toEqual([0, 0])
    expect(await countRows(other)).toEqual([count, count])
    for (const file of files) expect(await isDiscarded(file)).toBe(true)
  },
)

test('messages are deleted before the statement that deletes house, room or group', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const room = await houseRoom(den)
  const alone = await group(ann)
  for (const id of [den.room_id, room, alone]) await message(id, ann)
  for (const path of [`/rooms/${room}`, `/houses/${den.id}`, `/users/@me/rooms/${alone}`]) {
    const statements = await statementsOf(async () => {
      expect((await call(ann, 'DELETE', path)).status, path).toBeLessThan(300)
    })
    const removal = statements.findLastIndex(({ text }) => removesMessages.test(text))
    expect(removal, path).toBeGreaterThan(-1)
    expect(removal, path).toBeLessThan(statements.findIndex(({ text }) => removesRoom.test(text)))
  }
})
