import { expect, test } from 'vitest'
import { breaches, breachesOfListed } from '../support/contract-payloads.ts'
import { type Client, expectExact, listen, logIn, resume } from '../support/gateway.ts'
import { filePart, multipart } from '../support/multipart.ts'
import { call, group, house, message, oneToOne, type Person, user } from '../support/world.ts'

// Existing clients refuse a payload with a key that they do not know (docs/api.md#rules-for-existing-clients).

const app = await listen()
const thumb = encodeURIComponent('👍')

async function scene() {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  return { ann, bob, den, rooms: [den.room_id, await oneToOne(ann, bob), await group(ann, bob)] }
}

/** What an extended client does in a room: afterwards it has replies, reactions and pins. */
async function liven(ann: Person, bob: Person, room: string): Promise<string> {
  const first = await message(room, bob, { content: 'needle' })
  const url = `/rooms/${room}/messages`
  const body = { content: 'needle', reply_to_id: first }
  const { id } = (await call(ann, 'POST', `${url}?extended=true`, body)).body.data
  for (const each of [first, id]) {
    await call(bob, 'PUT', `${url}/${each}/reactions/${thumb}`)
    await call(ann, 'PUT', `/rooms/${room}/pins/${each}`)
  }
  await call(ann, 'PATCH', `${url}/${id}?extended=true`, { content: 'needle!' })
  return id
}

function frames(client: Client): string[] {
  for (const frame of client.events) expectExact(frame)
  return client.events.map((frame) => frame.e!)
}

test('a session that is not extended receives no event and no key that is new', async () => {
  const { ann, bob, den, rooms } = await scene()
  // Beside one that is, whose frames are others.
  const extended = await logIn(app, bob, { extended: true })
  const client = await logIn(app, bob)
  for (const room of rooms) {
    const id = await liven(ann, bob, room)
    await call(bob, 'DELETE', `/rooms/${room}/messages/${id}/reactions/${thumb}`)
    await call(ann, 'DELETE', `/rooms/${room}/pins/${id}`)
    await call(ann, 'DELETE', `/rooms/${room}/messages/${id}`)
    await client.next('MESSAGE_DELETE')
  }
  const ofRoom = ['MESSAGE_CREATE', 'MESSAGE_UPDATE', 'MESSAGE_DELETE']
  expect(frames(client).slice(2)).toEqual([...ofRoom, ...ofRoom, ...ofRoom])

  await extended.next('REACTION_UPDATE')
  frames(extended)

  const { session_id } = client.events[0]!.d
  const { seq } = client.events[1]!
  await liven(ann, bob, den.room_id)
  await client.next('MESSAGE_UPDATE')
  await client.cut()
  const resumed = resume(app, bob, session_id, seq!)
  await resumed.next('RESUMED')
  expect(new Set(frames(resumed))).toEqual(new Set([...ofRoom, 'RESUMED']))

  const fresh = await logIn(app, bob)
  expect(frames(fresh)).toEqual(['INIT_STATE', 'HOUSE_JOIN'])
})

test('HTTP answers without extended have no key that is new', async () => {
  const { ann, bob, den, rooms } = await scene()
  for (const room of rooms) {
    const id = await liven(ann, bob, room)
    const url = `/rooms/${room}/messages`
    const lists = [url, `${url}/search?q=needle`, '/streams/@me/mentions']
    if (room === den.room_id) lists.push('/streams/@me/feed', `/houses/${den.id}/messages/search?q=needle`)
    for (const list of lists) {
      const { data } = (await call(bob, 'GET', list)).body
      expect(data.length, list).toBeGreaterThan(0)
      for (const each of data) expect(breachesOfListed(each), list).toEqual([])
    }
    const more = lists.map((list) => `${list}${list.includes('?') ? '&' : '?'}extended=false`)
    for (const list of more) {
      for (const each of (await call(bob, 'GET', list)).body.data) expect(breachesOfListed(each)).toEqual([])
    }
    expect(breachesOfListed((await call(bob, 'GET', `${url}/${id}`)).body.data)).toEqual([])
    const sent = await call(ann, 'POST', url, { content: 'x', reply_to_id: id, nonce: 'n' })
    const again = await call(ann, 'POST', url, { content: 'x', reply_to_id: id, nonce: 'n' })
    const form = multipart({ name: 'reply_to_id', value: id }, filePart('x'))
    const media = await call(ann, 'POST', `/rooms/${room}/media_messages`, undefined, form)
    for (const answer of [sent, again, media]) {
      expect(breaches('MESSAGE_CREATE', answer.body.data)).toEqual([])
    }
    for (const method of ['PATCH', 'POST'] as const) {
      const edited = await call(ann, method, `${url}/${id}`, { content: 'needle' })
      expect(breaches('MESSAGE_UPDATE', edited.body.data)).toEqual([])
    }
    expect(breaches('ROOM_UPDATE', (await call(bob, 'GET', `/rooms/${room}`)).body.data)).toEqual([])
  }
})
