import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/database/client.ts'
import { otherApp } from '../../support/other-app.ts'
import { untilWaiting } from '../../support/waiting.ts'
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
  const started = performance.now()
  const statuses = await db.transaction().execute(async (trx) => {
    await trx.selectFrom('rooms').select('id').where('id', '=', den.room_id).forUpdate().execute()
    const answers = await Promise.all([...Array(6).fill(den.room_id), free].map(send))
    return answers.map((answer) => answer.status)
  })
  expect(statuses).toEqual([503, 503, 503, 503, 503, 503, 200])
  expect(performance.now() - started).toBeLessThan(12_000)
  expect((await send(den.room_id)).status).toBe(200)
})

test('sends that wait for a room that is deleted answer room_not_found', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const free = await houseRoom(den)
  const send = (roomId: string) => call(ann, 'POST', `/rooms/${roomId}/messages`, { content: 'hello' })
  const sending = await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('rooms').where('id', '=', den.room_id).execute()
    const answers = Promise.all([den.room_id, free].map(send))
    await untilWaiting(1)
    return [answers]
  })
  expect((await sending[0]!).map((answer) => answer.status)).toEqual([404, 200])
})
