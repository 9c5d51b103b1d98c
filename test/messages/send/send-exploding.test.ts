import { expect, test } from 'vitest'
import { listRows } from '../../support/messages.ts'
import { call, db, failure, house, oneToOne, user } from '../../support/world.ts'

test('an exploding message is marked in all forms, and ends on time', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann })
  for (const roomId of [den.room_id, await oneToOne(ann, bob)]) {
    const body = { content: `boom <@${ann.id}>`, exploding: true, exploding_age: 3_600 }
    const { data } = (await call(ann, 'POST', `/rooms/${roomId}/messages`, body)).body
    expect(data).toMatchObject({ exploding: true, exploding_age: 3_600 })
    const end = new Date(data.timestamp + 3_600_000)
    expect((await listRows(roomId))[0]?.expires_at).toEqual(end)
    const mentions = db.selectFrom('mentions').select('expires_at').where('message_id', '=', data.id)
    expect(await mentions.execute()).toEqual([{ expires_at: end }])
  }
})

test('exploding needs an age from 5 s to a week; without it the age is ignored', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const required = failure('invalid_schema', 'Required fields (exploding_age) not met')
  for (const exploding_age of [undefined, null, 4, 604_801, -1]) {
    const body = { content: 'boom', exploding: true, exploding_age }
    const answer = await call(ann, 'POST', `/rooms/${room_id}/messages`, body)
    expect([answer.status, answer.body]).toEqual([400, required])
  }
  for (const exploding_age of [5, 604_800]) {
    const body = { content: 'boom', exploding: true, exploding_age }
    const { data } = (await call(ann, 'POST', `/rooms/${room_id}/messages`, body)).body
    expect(data).toMatchObject({ exploding: true, exploding_age })
  }
  for (const exploding of [undefined, null, false]) {
    const body = { content: 'calm', exploding, exploding_age: 3 }
    const { data } = (await call(ann, 'POST', `/rooms/${room_id}/messages`, body)).body
    expect(data).toMatchObject({ exploding: null, exploding_age: null })
  }
})

test('exploding requires an age, named with the other required fields', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const cases: [object, string][] = [
    [{ content: 'boom', exploding_age: '5' }, 'Required fields (exploding_age) not met'],
    [{ content: 'boom', nonce: '' }, 'Required fields (exploding_age) not met'],
    [{}, 'Required fields (content, exploding_age) not met'],
    [{ exploding_age: 5 }, 'Required fields (content) not met'],
    [{ content: 'boom', exploding_age: 5, nonce: '' }, 'Invalid fields (nonce)'],
  ]
  for (const [fields, message] of cases) {
    const answer = await call(ann, 'POST', `/rooms/${room_id}/messages`, { ...fields, exploding: true })
    expect([answer.status, answer.body]).toEqual([400, failure('invalid_schema', message)])
  }
})
