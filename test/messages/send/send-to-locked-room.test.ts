import { expect, test } from 'vitest'
import { untilWaiting } from '../../support/waiting.ts'
import { call, db, house, houseRoom, user } from '../../support/world.ts'

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
