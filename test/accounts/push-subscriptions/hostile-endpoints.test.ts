import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import {
  type Browser,
  pushingApp,
  startPushService,
  subscribeTo,
  testNetwork,
} from '../../support/push-service.ts'
import { db, oneToOne, user } from '../../support/world.ts'

const service = await startPushService()
/** At an address that the server may not connect to. */
const hidden = await startPushService('127.0.0.2')
const rebound: string[] = []
const network = testNetwork({
  'hidden.push.test': () => ['127.0.0.2'],
  'both.push.test': () => ['127.0.0.1', '127.0.0.2'],
  'mapped.push.test': () => ['::ffff:127.0.0.2'],
  'nowhere.push.test': () => [],
  'rebinding.push.test': () => [rebound.shift() ?? '127.0.0.2'],
})
const { call } = await pushingApp(network)
const ann = await user({ name: 'Ann' })

async function subscribed(browser: Browser) {
  const person = await user()
  const id = await subscribeTo(call, person, browser)
  const room = await oneToOne(ann, person)
  return { person, id, say: (content: string) => say(room, content) }
}

async function say(room: string, content: string): Promise<void> {
  expect((await call(ann, 'POST', `/rooms/${room}/messages`, { content })).status).toBe(200)
}

function rowOf(id: string) {
  return db.selectFrom('push_subscriptions').selectAll().where('id', '=', id).executeTakeFirst()
}

async function untilFailed(id: string, failures = 1) {
  await expect.poll(async () => (await rowOf(id))?.failures).toBe(failures)
  return (await rowOf(id))!
}

/** Asserts how long a subscription pauses after a push that failed since `before`, in ms since 1970. */
function expectPause({ paused_until }: { paused_until: Date | null }, seconds: number, before: number) {
  const failedAt = paused_until!.getTime() - seconds * 1000
  expect(failedAt).toBeGreaterThanOrEqual(before)
  expect(failedAt).toBeLessThanOrEqual(Date.now())
}

/** How many pushes have ended like this, as the metrics tell. */
async function countOf(result: 'delivered' | 'gone'): Promise<number> {
  const { text } = await call(null, 'GET', '/metrics')
  const line = new RegExp(`^hearth_pushes_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)
  return Number(line?.[1] ?? 0)
}

function answering(status: number, headers: Record<string, string> = {}) {
  return (response: ServerResponse) => void response.writeHead(status, headers).end()
}

test.each([404, 410])('an answer of %i ends the subscription', async (status) => {
  const browser = service.subscribe()
  browser.answer = answering(status)
  const { id, say } = await subscribed(browser)
  const before = await countOf('gone')
  await say('hello')
  await expect.poll(() => rowOf(id)).toBeUndefined()
  expect(await countOf('gone')).toBe(before + 1)
})

test('after a failure nothing is pushed until the pause is over', async () => {
  const browser = service.subscribe()
  browser.answer = answering(503, { 'retry-after': '120' })
  const { id, say } = await subscribed(browser)
  const before = Date.now()
  await say('refused')
  expectPause(await untilFailed(id), 120, before)
  browser.answer = answering(201)
  await say('while it pauses')
  // Messages are pushed in their order: once this one has come, the other was passed over.
  const witness = service.subscribe()
  await (await subscribed(witness)).say('hello')
  await witness.received(1)
  await db.updateTable('push_subscriptions').set({ paused_until: null }).where('id', '=', id).execute()
  await say('after that')
  await browser.received(2)
  expect(browser.pushes.map(({ payload }) => payload.text)).toEqual(['refused', 'after that'])
  await expect.poll(async () => (await rowOf(id))?.failures).toBe(0)
})

test('Retry-After makes nobody wait longer than an hour, nor shorter than a pause', async () => {
  for (const [asked, seconds] of [
    ['999999999', 3_600],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 30],
    ['soon', 30],
  ] as const) {
    const browser = service.subscribe()
    browser.answer = answering(429, { 'retry-after': asked })
    const { id, say } = await subscribed(browser)
    const before = Date.now()
    await say('hello')
    expectPause(await untilFailed(id), seconds, before)
  }
})

test('many failures in a row end the subscription', async () => {
  const browser = service.subscribe()
  browser.answer = answering(500)
  const { id, say } = await subscribed(browser)
  await db.updateTable('push_subscriptions').set({ failures: 16 }).where('id', '=', id).execute()
  const before = Date.now()
  await say('the last but one')
  expectPause(await untilFailed(id, 17), 21_600, before)
  await db.updateTable('push_subscriptions').set({ paused_until: null }).where('id', '=', id).execute()
  await say('the last')
  await expect.poll(() => rowOf(id)).toBeUndefined()
})

test.each([301, 302, 307, 308])('a redirect (%i) is not followed', async (status) => {
  const target = service.subscribe('elsewhere.push.test')
  const browser = service.subscribe()
  browser.answer = answering(status, { location: target.subscription.endpoint })
  const { id, say } = await subscribed(browser)
  await say('hello')
  await untilFailed(id)
  expect([browser.requests, target.requests]).toEqual([1, 0])
})

test.each([
  'hidden.push.test',
  'both.push.test',
  'mapped.push.test',
  'nowhere.push.test',
  '127.0.0.2',
  '2130706434',
  '[::ffff:127.0.0.2]',
])('the server does not connect to %s', async (host) => {
  const { id, say } = await subscribed(hidden.subscribe(host))
  await say('hello')
  await untilFailed(id)
  expect(hidden.connections).toBe(0)
})

test('an address in place of a host is pushed to if it is allowed', async () => {
  const browser = service.subscribe('127.0.0.1')
  const { say } = await subscribed(browser)
  const before = await countOf('delivered')
  await say('hello')
  await browser.received(1)
  await expect.poll(() => countOf('delivered')).toBe(before + 1)
})

test('a name is resolved once for each push, and connected to as it was checked', async () => {
  rebound.push('127.0.0.1')
  const browser = service.subscribe('rebinding.push.test')
  const { id, say } = await subscribed(browser)
  await say('first')
  await browser.received(1)
  // The kept connection is not used: the name leads elsewhere now.
  await say('second')
  await untilFailed(id)
  expect(browser.requests).toBe(1)
  expect(network.asked.filter((host) => host === 'rebinding.push.test')).toHaveLength(2)
})

test('a certificate of another host is refused', async () => {
  const browser = service.subscribe('push.example.net')
  const { id, say } = await subscribed(browser)
  await say('hello')
  await untilFailed(id)
  expect(browser.requests).toBe(0)
})

test('an endpoint that closes the connection, or speaks no HTTP, fails', async () => {
  for (const answer of [
    (response: ServerResponse) => void response.socket!.destroy(),
    (response: ServerResponse) => void response.socket!.end('220 smtp.example.org\r\n'),
  ]) {
    const browser = service.subscribe()
    browser.answer = answer
    const { id, say } = await subscribed(browser)
    await say('hello')
    await untilFailed(id)
  }
})

test('an endless answer is cut off, and the next push arrives', async () => {
  const browser = service.subscribe()
  const chunk = 'x'.repeat(65_536)
  let chunks = 0
  const isCut = new Promise<void>((resolve) => {
    browser.answer = (response) => {
      response.on('close', resolve)
      response.writeHead(201)
      const flood = () => {
        do chunks += 1
        while (!response.destroyed && response.write(chunk))
      }
      response.on('drain', flood)
      flood()
    }
  })
  const { say } = await subscribed(browser)
  await say('first')
  await isCut
  // What fits into the buffers of a connection, and not what is sent in a second.
  expect(chunks).toBeLessThan(1_000)
  browser.answer = answering(201)
  await say('second')
  await browser.received(2)
})

test('endpoints that hang delay neither messages nor the pushes of others', async () => {
  const good = service.subscribe()
  const bob = await subscribed(good)
  await bob.say('first')
  await good.received(1)
  await expect.poll(async () => (await rowOf(bob.id))?.is_proven).toBe(true)
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  // Other tests would wait for them.
  onTestFinished(() => end())
  const hanging: Awaited<ReturnType<typeof subscribed>>[] = []
  for (let count = 0; count < 12; count += 1) {
    const browser = service.subscribe()
    browser.answer = (response) => void isOver.then(() => answering(201)(response))
    hanging.push(await subscribed(browser))
  }
  for (const { say } of hanging) await say('hello')
  await bob.say('second')
  await good.received(2)
  // Had it waited for one of them, that one would have failed by now.
  const ids = hanging.map(({ person }) => person.id)
  const rows = await db
    .selectFrom('push_subscriptions')
    .select('failures')
    .where('user_id', 'in', ids)
    .execute()
  expect(rows.map(({ failures }) => failures)).toEqual(hanging.map(() => 0))
})
