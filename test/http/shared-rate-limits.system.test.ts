import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { password, resident } from '../support/accounts.ts'
import { Client, listen, portOf } from '../support/gateway.ts'
import { sumOf } from '../support/metrics.ts'
import { filePart, multipart } from '../support/multipart.ts'
import { otherApp } from '../support/other-app.ts'
import { ownWorld } from '../support/own-world.ts'
import { startRedis } from '../support/redis.ts'
import { type Answer, config, house, user } from '../support/world.ts'

await ownWorld()

let time = Date.UTC(2026, 0, 1)
const now = () => time
let redis = await startRedis()
redis.setClock(now)
afterAll(() => redis.stop())

const shared = { rateLimit: true, redisUrl: redis.url }
/** Three processes on one Redis, and one that counts by itself. */
const processes = [
  await otherApp(shared, { now }),
  await otherApp(shared, { now }),
  await otherApp(shared, { now }),
]
const alone = await otherApp({ rateLimit: true }, { now })

beforeEach(() => {
  time += 86_400_000
})

/** What as many requests answer that go to the processes in turns, and what they answer at one process alone. */
async function compare(count: number, ask: (call: (typeof alone)['call'], n: number) => Promise<Answer>) {
  const [together, expected]: Answer[][] = [[], []]
  for (let n = 0; n < count; n += 1) {
    together!.push(await ask(processes[n % 3]!.call, n))
    expected!.push(await ask(alone.call, n))
  }
  const shown = ({ status, headers, body }: Answer) => {
    const { error, expires_at } = body ?? {}
    const limits = Object.entries(headers).filter(([name]) => /ratelimit|retry-after/.test(name))
    return { status, error, expires_at, ...Object.fromEntries(limits) }
  }
  expect(together!.map(shown)).toEqual(expected!.map(shown))
  return together!.filter(({ status }) => status === 429).length
}

let lastAddress = 0
function newAddress() {
  lastAddress += 1
  return { remoteAddress: `10.0.0.${lastAddress}` }
}

test('requests of a user, with the same headers and refusals as at one process', async () => {
  const ann = await user()
  expect(await compare(103, (call) => call(ann, 'GET', '/users/@me'))).toBe(3)
  time += 40
  expect(await compare(3, (call) => call(ann, 'GET', '/users/@me'))).toBe(1)
})

test('sends to a room, which count as requests as well', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const send = (call: typeof alone.call) => call(ann, 'POST', `/rooms/${room_id}/messages`, { content: 'x' })
  expect(await compare(22, send)).toBe(2)
  const { headers } = await processes[0]!.call(ann, 'GET', '/users/@me')
  expect(headers['ratelimit-remaining']).toBe('77')
})

test('the text of a person and their bots, of which each process takes 64 KiB at once', async () => {
  const text = { burst: 200_000, refillMs: 432 }
  const [one, other] = [
    await otherApp({ ...shared, text }, { now }),
    await otherApp({ ...shared, text }, { now }),
  ]
  const ann = await user()
  const bot = await user({ bot_of: ann })
  const { room_id } = await house({ owner: ann, members: [bot] })
  let sent = 0
  const senders = [() => one.call(ann, 'POST', path, body), () => other.call(bot, 'POST', path, body)]
  const [path, body] = [`/rooms/${room_id}/messages`, { content: '🔥'.repeat(4_000) }]
  for (let n = 0; ; n += 1) {
    const { status } = await senders[n % 2]!()
    if (status !== 200) break
    sent += 1
  }
  expect(sent * (16_000 + 256)).toBeGreaterThan(200_000 - 2 * 65_536)
  expect(sent * (16_000 + 256)).toBeLessThanOrEqual(200_000)
})

test('wrong logins of an account', async () => {
  const { username, email } = await resident('walt')
  const from = newAddress()
  const names = [username, username.toUpperCase(), email, `@${username}`]
  const guess = (call: typeof alone.call, n: number) =>
    call(null, 'POST', '/auth/login', { login: names[n % 4], password: `wrong one ${n}` }, from)
  expect(await compare(7, guess)).toBe(2)
  time += 12_000
  expect(await compare(3, guess)).toBe(2)
})

test('requests and registrations of an address', async () => {
  const from = newAddress()
  expect(await compare(102, (call) => call(null, 'GET', '/invites/abcdef', undefined, from))).toBe(2)
  const other = newAddress()
  expect(await compare(12, (call) => call(null, 'POST', '/auth/register', {}, other))).toBe(2)
})

test('wrong passwords, also many at once, but not right ones', async () => {
  const ann = await resident()
  const change = (at: number, current: string) =>
    processes[at % 3]!.call(ann, 'PATCH', '/users/@me/email', { email: 'new@example.org', password: current })
  for (let n = 0; n < 6; n += 1) expect((await change(n, password)).status).toBe(200)
  const wrong = await Promise.all(Array.from({ length: 9 }, (_, n) => change(n, 'wrong one')))
  expect(wrong.filter(({ body }) => body.error.code === 'invalid_credentials')).toHaveLength(5)
  expect((await change(1, password)).status).toBe(429)
})

test('bytes of attachments, of which those that were not stored are given back', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const limits = { ...shared, uploads: { burst: 1_000, refillMs: 86_400 } }
  const [one, other] = [await otherApp(limits, { now }), await otherApp(limits, { now })]
  const upload = ({ call }: typeof one, content: string) =>
    call(ann, 'POST', `/rooms/${room_id}/media_messages`, undefined, multipart(filePart(content)))
  expect((await upload(one, 'x'.repeat(600))).status).toBe(200)
  expect((await upload(other, 'x'.repeat(390))).status).toBe(429)
  expect((await upload(other, 'x'.repeat(200))).status).toBe(200)
})

test('failed logins at the gateway', async () => {
  const rateLimits = { ...config.rateLimits, gateway: { burst: 4, refillMs: 3_600_000 } }
  const gateways = [await listen({}, { ...shared, rateLimits }), await listen({}, { ...shared, rateLimits })]
  for (let n = 0; n < 4; n += 1) {
    const client = new Client(gateways[n % 2]!)
    client.send({ op: 2, d: { token: 'x' } })
    expect((await client.end()).reason).toBe('invalid_token')
  }
  for (const gateway of gateways) {
    const answer = await fetch(`http://127.0.0.1:${portOf(gateway)}/health`)
    expect(answer.status).toBe(200)
    const refused = new Client(gateway)
    const [, { statusCode }] = await new Promise<[unknown, { statusCode: number }]>((resolve) =>
      refused.socket.on('unexpected-response', (...given) => resolve(given as never)),
    )
    expect(statusCode).toBe(429)
  }
})

test('while Redis is unavailable each process counts by itself, and refuses nobody for it', async () => {
  const ann = await user()
  const [one, other] = [processes[0]!, processes[1]!]
  const isShared = async ({ call }: typeof one) =>
    sumOf((await call(null, 'GET', '/metrics')).text, 'hearth_redis_available', { use: 'rate_limits' }) === 1
  expect([await isShared(one), await isShared(other)]).toEqual([true, true])
  const remaining = async ({ call }: typeof one) => {
    const { status, headers } = await call(ann, 'GET', '/users/@me')
    return [status, headers['ratelimit-remaining']]
  }
  expect([await remaining(one), await remaining(other)]).toEqual([
    [200, '99'],
    [200, '98'],
  ])
  const asked = Array.from({ length: 20 }, () => one.call(ann, 'GET', '/users/@me'))
  await redis.stop()
  for (const answer of await Promise.all(asked)) expect(answer.status).toBe(200)
  await vi.waitUntil(async () => !(await isShared(one)) && !(await isShared(other)), 60_000)
  expect(await remaining(other)).toEqual([200, '99'])
  expect(await remaining(other)).toEqual([200, '98'])
  redis = await startRedis(redis.port)
  redis.setClock(now)
  await vi.waitUntil(async () => (await isShared(one)) && (await isShared(other)), 60_000)
  expect([await remaining(one), await remaining(other)]).toEqual([
    [200, '99'],
    [200, '98'],
  ])
})

test('while Redis hangs requests are answered', async () => {
  const ann = await user()
  redis.hang(true)
  onTestFinished(() => redis.hang(false))
  const asked = Array.from({ length: 30 }, (_, n) => processes[n % 3]!.call(ann, 'GET', '/users/@me'))
  for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
})

test('with rate limits off nothing is counted in Redis', async () => {
  const off = await otherApp({ ...shared, rateLimit: false })
  expect((await off.call(await user(), 'GET', '/users/@me')).headers['ratelimit-limit']).toBeUndefined()
  expect((await off.call(null, 'GET', '/metrics')).text).not.toContain('use="rate_limits"')
})
