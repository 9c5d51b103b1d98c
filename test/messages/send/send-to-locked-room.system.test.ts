import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/database/client.ts'
import { otherApp } from '../../support/other-app.ts'
import { databaseUrl, db, house, houseRoom, user } from '../../support/world.ts'

// With the limits of a server: `lock_timeout` is two seconds.
const limited = openDatabase(databaseUrl)
const { call } = await otherApp({}, { db: limited })
afterAll(() => limited.destroy())

test('while a room is locked only sends to it fail, and other sends do not wait for each of them', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const free = await houseRoom(den)
  const send = (roomId: string) => call(ann, 'POST', `/rooms/${roomId}/messages`, { content: 'hello' })
  const timed = async (...rooms: string[]) => {
    const started = performance.now()
    const answers = await Promise.all(rooms.map(send))
    return { statuses: answers.map((answer) => answer.status), ms: performance.now() - started }
  }
  const { one, many } = await db.transaction().execute(async (trx) => {
    await trx.selectFrom('rooms').select('id').where('id', '=', den.room_id).forUpdate().execute()
    return { one: await timed(den.room_id), many: await timed(...Array(6).fill(den.room_id), free) }
  })
  expect(one.statuses).toEqual([503])
  expect(many.statuses).toEqual([503, 503, 503, 503, 503, 503, 200])
  // One after the other they would take six times as long.
  expect(many.ms).toBeLessThan(4 * one.ms)
  expect((await send(den.room_id)).status).toBe(200)
})
