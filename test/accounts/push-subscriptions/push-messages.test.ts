import { expect, test } from 'vitest'
import { filePart, multipart } from '../../support/multipart.ts'
import { pushingApp, startPushService, subscribeTo } from '../../support/push-service.ts'
import { block, db, group, house, oneToOne, user } from '../../support/world.ts'

const service = await startPushService()
const { call } = await pushingApp()

/** Bob has a browser in a house with Ann. */
async function subscribedBob() {
  const [ann, bob] = [await user({ name: 'Ann' }), await user({ name: 'Bob' })]
  const den = await house({ owner: ann, members: [bob] })
  const browser = service.subscribe()
  await subscribeTo(call, bob, browser)
  const say = async (roomId: string, body: object) => {
    const answer = await call(ann, 'POST', `/rooms/${roomId}/messages`, body)
    expect(answer.status).toBe(200)
    return answer.body.data.id as string
  }
  return { ann, bob, den, browser, say }
}

test('a mention is pushed, encrypted for the browser and signed by the installation', async () => {
  const { bob, den, browser, say } = await subscribedBob()
  const id = await say(den.room_id, { content: `hello <@${bob.id}>, \`<@${bob.id}>\` and <@1>` })
  expect(await browser.received(1)).toEqual([
    {
      type: 'message',
      room_id: den.room_id,
      house_id: den.id,
      message_id: id,
      author: 'Ann',
      room: 'general',
      house: 'Den',
      text: `hello @${bob.username}, \`<@${bob.id}>\` and <@1>`,
      count: 1,
    },
  ])
  const [{ headers, vapid }] = browser.pushes as [(typeof browser.pushes)[0]]
  const { body } = await call(null, 'GET', '/server')
  expect(vapid.key).toBe(body.data.push_key)
  const { aud, exp, sub } = vapid.claims
  expect([aud, sub]).toEqual([`https://push.test:${service.port}`, 'mailto:ops@hearth.test'])
  const inSeconds = exp - Date.now() / 1000
  expect(inSeconds).toBeGreaterThan(3_600)
  expect(inSeconds).toBeLessThanOrEqual(86_400)
  expect(headers).toMatchObject({
    host: `push.test:${service.port}`,
    ttl: '86400',
    urgency: 'high',
    'content-encoding': 'aes128gcm',
    topic: expect.stringMatching(/^[\w-]{32}$/),
  })
  expect(headers.topic).not.toContain(den.room_id)
})

test('a private message is pushed to all browsers of all participants but its author', async () => {
  const { ann, bob, browser, say } = await subscribedBob()
  const cat = await user()
  const [second, ofCat, ofAnn] = [service.subscribe(), service.subscribe(), service.subscribe()]
  await subscribeTo(call, bob, second)
  await subscribeTo(call, cat, ofCat)
  await subscribeTo(call, ann, ofAnn)
  const room = await group(ann, bob, cat)
  await db.updateTable('rooms').set({ name: 'Trip' }).where('id', '=', room).execute()
  await say(room, { content: 'for all' })
  for (const each of [browser, second, ofCat]) {
    expect(await each.received(1)).toMatchObject([
      { text: 'for all', room: 'Trip', house: null, house_id: null },
    ])
  }
  expect(ofAnn.requests).toBe(0)
})

test('the messages of a room are counted until it is read', async () => {
  const { ann, bob, browser, say } = await subscribedBob()
  const room = await oneToOne(ann, bob)
  await say(room, { content: 'one' })
  await browser.received(1)
  await say(room, { content: 'two' })
  const [, second] = await browser.received(2)
  expect(second).toMatchObject({ text: 'two', count: 2 })
  const [one, two] = browser.pushes
  expect(two!.headers.topic).toBe(one!.headers.topic)
})

test('a text has 120 characters at most', async () => {
  const { ann, bob, browser, say } = await subscribedBob()
  const room = await oneToOne(ann, bob)
  await say(room, { content: '🧵'.repeat(120) })
  await browser.received(1)
  await say(room, { content: '🧵'.repeat(121) })
  const [first, second] = await browser.received(2)
  expect([first.text, second.text]).toEqual(['🧵'.repeat(120), `${'🧵'.repeat(119)}…`])
})

test('the longest message with the longest names fits into a push', async () => {
  const { ann, bob, browser, say } = await subscribedBob()
  const room = await group(ann, bob)
  const name = '👩‍👩‍👧‍👦'.repeat(9)
  expect((await call(ann, 'PATCH', `/rooms/${room}`, { name })).status).toBe(200)
  await say(room, { content: '👩‍👩‍👧‍👦'.repeat(500) })
  expect(await browser.received(1)).toMatchObject([{ room: name }])
})

test('a file is pushed by its name', async () => {
  const { ann, bob, browser } = await subscribedBob()
  const room = await oneToOne(ann, bob)
  const file = multipart(filePart('bytes', 'plan.pdf'))
  expect((await call(ann, 'POST', `/rooms/${room}/media_messages`, undefined, file)).status).toBe(200)
  expect(await browser.received(1)).toMatchObject([{ text: 'plan.pdf' }])
})

test('an exploding message is pushed without its text, and not kept longer than it is', async () => {
  const { ann, bob, browser, say } = await subscribedBob()
  await say(await oneToOne(ann, bob), { content: 'a secret', exploding: true, exploding_age: 60 })
  expect(await browser.received(1)).toMatchObject([{ text: '', author: 'Ann' }])
  expect(browser.pushes[0]!.headers.ttl).toBe('60')
})

test('what is read on one device is closed on all of them, once', async () => {
  const { ann, bob, browser, say } = await subscribedBob()
  const second = service.subscribe()
  await subscribeTo(call, bob, second)
  const room = await oneToOne(ann, bob)
  const id = await say(room, { content: 'hello' })
  await Promise.all([browser.received(1), second.received(1)])
  const ack = () => call(bob, 'POST', `/rooms/${room}/messages/${id}/ack`)
  expect((await ack()).status).toBe(200)
  const closed = { type: 'close', room_id: room, message_id: id }
  expect((await browser.received(2))[1]).toEqual(closed)
  expect((await second.received(2))[1]).toEqual(closed)
  const [message, close] = browser.pushes
  expect(close!.headers).toMatchObject({ topic: message!.headers.topic, urgency: 'normal' })
  // The next message begins anew, and nothing was sent for this ack.
  expect((await ack()).status).toBe(200)
  await say(room, { content: 'again' })
  expect((await browser.received(3))[2]).toMatchObject({ text: 'again', count: 1 })
})

test('who answers has read the room', async () => {
  const { bob, den, browser, say } = await subscribedBob()
  const id = await say(den.room_id, { content: `<@${bob.id}>?` })
  await browser.received(1)
  await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'yes' })
  expect((await browser.received(2))[1]).toEqual({ type: 'close', room_id: den.room_id, message_id: id })
})

test('a deleted message is closed', async () => {
  const { ann, bob, browser, say } = await subscribedBob()
  const room = await oneToOne(ann, bob)
  const id = await say(room, { content: 'oops' })
  await browser.received(1)
  expect((await call(ann, 'DELETE', `/rooms/${room}/messages/${id}`)).status).toBe(200)
  expect((await browser.received(2))[1]).toEqual({ type: 'close', room_id: room, message_id: id })
})

test('the end of a room takes back that it was pushed', async () => {
  const { ann, bob, den, browser, say } = await subscribedBob()
  await say(den.room_id, { content: `<@${bob.id}>` })
  await browser.received(1)
  expect((await call(ann, 'DELETE', `/houses/${den.id}`)).status).toBe(204)
  const left = await db.selectFrom('pushed_rooms').selectAll().where('user_id', '=', bob.id).execute()
  expect(left).toEqual([])
})

test('a webhook is pushed as people are, without those whom one restricts', async () => {
  const { ann, bob, den, browser, say } = await subscribedBob()
  const { body } = await call(ann, 'POST', `/houses/${den.id}/webhooks`, {
    room_id: den.room_id,
    name: 'Deploys',
  })
  const { pathname } = new URL(body.data.url)
  await call(null, 'POST', pathname, { content: `deployed <@${bob.id}>` })
  expect(await browser.received(1)).toMatchObject([{ author: 'Deploys' }])
  await block(bob, ann, 4)
  await say(den.room_id, { content: `restricted <@${bob.id}>` })
  await call(null, 'POST', pathname, { content: `again <@${bob.id}>` })
  expect((await browser.received(2))[1]).toMatchObject({ author: 'Deploys', count: 2 })
})
