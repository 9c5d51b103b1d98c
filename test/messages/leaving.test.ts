import { expect, test } from 'vitest'
import { call, db, house, message, user } from '../support/world.ts'

/** Runs `action` while a user leaves a house, before the commit. */
async function whileLeaving<Result>(
  { house_id, user_id }: { house_id: string; user_id: string },
  action: () => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (trx) => {
    await trx.deleteFrom('members').where('house_id', '=', house_id).where('user_id', '=', user_id).execute()
    return action()
  })
}

const readStatesOf = (userId: string) =>
  db.selectFrom('read_states').select('message_id').where('user_id', '=', userId).execute()

test('a message sent while its author leaves the house creates no read state', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const send = () => call(ben, 'POST', `/rooms/${den.room_id}/messages`, { content: 'bye' })
  const { status } = await whileLeaving({ house_id: den.id, user_id: ben.id }, send)
  expect(status).toBe(200)
  expect(await readStatesOf(ben.id)).toEqual([])
})

test('an ack while the user leaves the house creates no read state', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const sent = await message(den.room_id, ann)
  const ack = () => call(ben, 'POST', `/rooms/${den.room_id}/messages/${sent}/ack`)
  const answer = await whileLeaving({ house_id: den.id, user_id: ben.id }, ack)
  expect(answer).toMatchObject({ status: 404, body: { error: { code: 'room_not_found' } } })
  expect(await readStatesOf(ben.id)).toEqual([])
})
