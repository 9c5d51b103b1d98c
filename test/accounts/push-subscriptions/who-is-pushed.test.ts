import { expect, test } from 'vitest'
import { presenceOf } from '../../../src/events/presence.ts'
import { listen, logIn } from '../../support/gateway.ts'
import { untilNoted } from '../../support/presences.ts'
import { pushingApp, startPushService, subscribeTo } from '../../support/push-service.ts'
import { block, db, house, houseRoom, oneToOne, type Person, user } from '../../support/world.ts'

const service = await startPushService()
const { call } = await pushingApp()

async function subscribedBob() {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const browser = service.subscribe()
  await subscribeTo(call, bob, browser)
  const say = async (roomId: string, content: string, by: Person = ann) => {
    const answer = await call(by, 'POST', `/rooms/${roomId}/messages`, { content })
    expect(answer.status).toBe(200)
    return answer.body.data.id as string
  }
  /** What was pushed until now: messages are in their order, so this one is the last. */
  const pushed = async (count: number) => {
    const cat = await user()
    await say(await oneToOne(cat, bob), 'the last', cat)
    const texts = (await browser.received(count + 1)).map(({ text }) => text)
    expect(texts.at(-1)).toBe('the last')
    return texts.slice(0, -1)
  }
  return { ann, bob, den, browser, say, pushed }
}

test('a message in a house that mentions nobody, others or oneself is not pushed', async () => {
  const { ann, bob, den, say, pushed } = await subscribedBob()
  await say(den.room_id, 'for nobody')
  await say(den.room_id, `for <@${ann.id}>`)
  await say(den.room_id, `for me, <@${bob.id}>`, bob)
  expect(await pushed(0)).toEqual([])
})

test('a reply that mentions the author of a message is pushed', async () => {
  const { ann, bob, den, browser, say } = await subscribedBob()
  const id = await say(den.room_id, 'who?', bob)
  const reply = { content: 'me', reply_to_id: id, reply_mention: true }
  expect((await call(ann, 'POST', `/rooms/${den.room_id}/messages`, reply)).status).toBe(200)
  expect(await browser.received(1)).toMatchObject([{ text: 'me' }])
})

test('notifications that are turned off are not pushed', async () => {
  const { ann, bob, say } = await subscribedBob()
  const quiet = service.subscribe()
  const dan = await user()
  await subscribeTo(call, dan, quiet)
  await call(dan, 'PATCH', '/users/@me/settings', { enable_desktop_notifications: false })
  const rooms = [await oneToOne(ann, dan), await oneToOne(ann, bob)]
  for (const room of rooms) await say(room, 'hello')
  await call(dan, 'PATCH', '/users/@me/settings', { enable_desktop_notifications: true })
  await say(rooms[0]!, 'hello again')
  expect(await quiet.received(1)).toMatchObject([{ text: 'hello again', count: 1 }])
})

test('a preference holds back what it excludes', async () => {
  const { ann, bob, den, say, pushed } = await subscribedBob()
  const prefer = (roomId: string, notification_preference: number) =>
    call(bob, 'PUT', `/users/@me/settings/room_overrides/${roomId}`, { notification_preference })
  const pair = await oneToOne(ann, bob)
  const loud = await houseRoom(den)
  await prefer(den.room_id, 2)
  await prefer(loud, 0)
  await prefer(pair, 1)
  await say(den.room_id, `muted <@${bob.id}>`)
  await say(loud, 'all of a house is more than is pushed')
  await say(pair, 'no mention')
  await say(pair, `mention <@${bob.id}>`)
  expect(await pushed(1)).toEqual([`mention @${bob.username}`])
})

test('blocked and restricted people are not pushed', async () => {
  const { bob, den, say, pushed } = await subscribedBob()
  for (const type of [4, 5] as const) {
    const eve = await user()
    await db.insertInto('members').values({ house_id: den.id, user_id: eve.id }).execute()
    await block(bob, eve, type)
    await say(den.room_id, `<@${bob.id}>`, eve)
  }
  expect(await pushed(0)).toEqual([])
})

test('who cannot read a room is not pushed what is said there', async () => {
  const { bob, den, say, pushed } = await subscribedBob()
  const hidden = await houseRoom(den, { default_deny: 1_048_575 })
  await say(hidden, `psst <@${bob.id}>`)
  expect(await pushed(0)).toEqual([])
})

test('who is online is not pushed, and is once they go offline within two minutes without having read it', async () => {
  const { ann, bob, den, browser, say, pushed } = await subscribedBob()
  const gateway = await listen({ offlineAfterMs: 0 })
  const client = await logIn(gateway, bob)
  await untilNoted(bob)
  const pair = await oneToOne(ann, bob)
  const read = await say(pair, 'read')
  await say(den.room_id, `first <@${bob.id}>`)
  await say(den.room_id, `newest <@${bob.id}>`)
  await call(bob, 'POST', `/rooms/${pair}/messages/${read}/ack`)
  expect(browser.requests).toBe(0)
  client.socket.close()
  expect(await browser.received(1)).toMatchObject([{ text: `newest @${bob.username}` }])
  expect(await pushed(1)).toEqual([`newest @${bob.username}`])
})

test('what was put off is not pushed to who has lost the room meanwhile', async () => {
  const { ann, bob, den, say, pushed } = await subscribedBob()
  const gateway = await listen({ offlineAfterMs: 0 })
  const client = await logIn(gateway, bob)
  await untilNoted(bob)
  await say(den.room_id, `hello <@${bob.id}>`)
  expect((await call(ann, 'DELETE', `/houses/${den.id}/members/${bob.id}`)).status).toBe(200)
  client.socket.close()
  await expect.poll(() => presenceOf(bob.id)).toBe('offline')
  expect(await pushed(0)).toEqual([])
})
