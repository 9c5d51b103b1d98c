import { expect, test } from 'vitest'
import { newId } from '../../src/ids.ts'
import { password, resident } from '../support/accounts.ts'
import { filePart, multipart } from '../support/multipart.ts'
import { otherApp } from '../support/other-app.ts'
import { type Answer, config, house, houseRoom, user } from '../support/world.ts'

let time = Date.UTC(2026, 0, 1)
const { call } = await otherApp({ rateLimit: true }, { now: () => time })
const refusal = {
  success: false,
  error: { code: 'rate_limit', message: 'You are being rate limited' },
}

async function times(count: number, one: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let i = 0; i < count; i += 1) answers.push(await one())
  return answers
}

let lastAddress = 0
/** An unused client address. */
function newAddress() {
  lastAddress += 1
  return { remoteAddress: `10.0.0.${lastAddress}` }
}

function limited(answers: Answer[]): number {
  return answers.filter((answer) => answer.status === 429).length
}

test('every counted answer has the limit headers, and a refused one Retry-After', async () => {
  const ann = await user()
  const first = await call(ann, 'GET', '/users/@me')
  expect(first.status).toBe(200)
  expect(first.headers).toMatchObject({
    'ratelimit-limit': '100',
    'ratelimit-remaining': '99',
    'ratelimit-reset': '1',
    'x-ratelimit-limit': '100',
    'x-ratelimit-remaining': '99',
    'x-ratelimit-reset': String(Math.ceil((time + 20) / 1000)),
  })
  expect(first.headers['retry-after']).toBeUndefined()
  expect(limited(await times(99, () => call(ann, 'GET', '/users/@me')))).toBe(0)
  const refused = await call(ann, 'GET', '/users/@me')
  expect(refused.status).toBe(429)
  const expires_at = Math.ceil((time + 20) / 1000)
  expect(refused.body).toEqual({ ...refusal, expires_at })
  expect(refused.headers).toMatchObject({
    'retry-after': '1',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '1',
    'x-ratelimit-reset': String(expires_at),
    'content-type': 'application/json; charset=utf-8',
  })
  expect((await call(await user(), 'GET', '/users/@me')).status).toBe(200)
})

test('refuses a caller over the limit before it reads the body, and a faulty token before that', async () => {
  const ann = await user()
  await times(100, () => call(ann, 'GET', '/users/@me'))
  const bodies = [
    { payload: '{', headers: { 'content-type': 'application/json' } },
    { payload: '{}', headers: { 'content-type': 'text/plain' } },
    { payload: 'x'.repeat(256 * 1024 + 1), headers: { 'content-type': 'application/json' } },
  ]
  for (const more of bodies) {
    const refused = await call(ann, 'POST', '/users/@me/rooms', undefined, more)
    expect([refused.status, refused.body]).toEqual([429, { ...refusal, expires_at: expect.any(Number) }])
    const stranger = await call(null, 'POST', '/users/@me/rooms', undefined, { ...more, ...newAddress() })
    expect(stranger.body.error.code).toBe('no_auth')
  }
})

test('reactions have a limit of their own, and count as requests as well', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const { id } = (await call(ann, 'POST', `/rooms/${room_id}/messages`, { content: 'x' })).body.data
  const url = `/rooms/${room_id}/messages/${id}/reactions/${encodeURIComponent('👍')}`
  const [put, remove] = [() => call(ann, 'PUT', url), () => call(ann, 'DELETE', url)]
  const answers = [...(await times(10, put)), ...(await times(11, remove))]
  expect(limited(answers)).toBe(1)
  expect(answers[0]!.headers).toMatchObject({ 'ratelimit-limit': '20', 'ratelimit-remaining': '19' })
  expect((await call(ann, 'GET', '/users/@me')).headers['ratelimit-remaining']).toBe('77')
  expect((await call(ann, 'GET', url)).status).toBe(200)
})

test('a bucket refills steadily, and a refused request takes nothing', async () => {
  const ann = await user()
  await times(120, () => call(ann, 'GET', '/users/@me'))
  time += 100
  expect(limited(await times(7, () => call(ann, 'GET', '/users/@me')))).toBe(2)
  time += 3_600_000
  expect(limited(await times(101, () => call(ann, 'GET', '/users/@me')))).toBe(1)
})

test('requests without a caller count by address, whatever the route, before anything else', async () => {
  const from = newAddress()
  const paths = ['/invites/abcdef', '/users/nobody', '/users/@me', '/nowhere']
  for (let i = 0; i < 100; i += 1) {
    expect((await call(null, 'GET', paths[i % 4]!, undefined, from)).status).not.toBe(429)
  }
  for (const path of paths) {
    expect([path, (await call(null, 'GET', path, undefined, from)).status]).toEqual([path, 429])
  }
  const ann = await user()
  expect((await call(ann, 'GET', '/users/@me', undefined, from)).status).toBe(200)
  expect((await call(null, 'GET', '/nowhere', undefined, newAddress())).status).toBe(404)
})

test('requests with unknown tokens count by address', async () => {
  const from = { ...newAddress(), headers: { authorization: 'f'.repeat(128) } }
  expect(limited(await times(102, () => call(null, 'GET', '/users/@me', undefined, from)))).toBe(2)
  // Also where the route needs no token.
  expect((await call(null, 'GET', '/users/nobody', undefined, from)).status).toBe(429)
})

test('all addresses of an IPv6 network count as one', async () => {
  const ask = (remoteAddress: string) => call(null, 'GET', '/nowhere', undefined, { remoteAddress })
  expect(limited(await times(100, () => ask('2001:db8:1:1::1')))).toBe(0)
  expect((await ask('2001:db8:1:1::2')).status).toBe(429)
})

test('sends count by user and room', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const other = await houseRoom(den)
  const send = (person: typeof ann, room: string) =>
    call(person, 'POST', `/rooms/${room}/messages`, { content: 'hi' })
  const answers = await times(21, () => send(ann, den.room_id))
  expect(limited(answers)).toBe(1)
  expect(answers[0]!.headers['ratelimit-limit']).toBe('20')
  // A file is a message like any other.
  const media = (room: string) =>
    call(ann, 'POST', `/rooms/${room}/media_messages`, undefined, multipart(filePart('x')))
  expect((await media(den.room_id)).body).toMatchObject(refusal)
  expect((await media(other)).headers['ratelimit-remaining']).toBe('19')
  expect((await send(ann, other)).status).toBe(200)
  expect((await send(bob, den.room_id)).status).toBe(200)
  // All texts that are no id count as one room.
  const wrong = await Promise.all(Array.from({ length: 21 }, (_, n) => send(bob, `x${n}`)))
  expect(limited(wrong)).toBe(1)
  time += 100
  expect((await send(ann, den.room_id)).status).toBe(200)
})

test('each send counts as a request of the user too, whether the room exists or not', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const send = (person: typeof ann, room: string) =>
    call(person, 'POST', `/rooms/${room}/messages`, { content: 'hi' })
  const invented = await Promise.all(Array.from({ length: 101 }, () => send(ann, newId())))
  expect(limited(invented)).toBe(1)
  const refused = await send(ann, den.room_id)
  expect([refused.status, refused.headers['ratelimit-limit']]).toEqual([429, '100'])
  expect((await call(ann, 'GET', '/users/@me')).status).toBe(429)
  expect((await send(bob, den.room_id)).headers['ratelimit-limit']).toBe('20')
  expect((await call(bob, 'GET', '/users/@me')).headers['ratelimit-remaining']).toBe('98')
})

test('edits count as messages, by PATCH and by POST; marking as read does not', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const { id } = (await call(ann, 'POST', `/rooms/${room_id}/messages`, { content: '0' })).body.data
  const url = `/rooms/${room_id}/messages/${id}`
  const edit = (method: 'PATCH' | 'POST', n: number) => call(ann, method, url, { content: `${n}` })
  const answers: Answer[] = []
  for (let n = 1; n < 20; n += 1) answers.push(await edit(n % 2 ? 'PATCH' : 'POST', n))
  expect(limited(answers)).toBe(0)
  expect(answers[0]!.headers).toMatchObject({ 'ratelimit-limit': '20', 'ratelimit-remaining': '18' })
  for (const method of ['PATCH', 'POST'] as const)
    expect((await edit(method, 99)).body).toMatchObject(refusal)
  expect((await call(ann, 'POST', `/rooms/${room_id}/messages`, { content: 'x' })).status).toBe(429)
  expect((await call(ann, 'GET', url)).body.data.content).toBe('19')
  expect((await call(ann, 'POST', url, {})).status).toBe(200)
})

test('a person and their bots share the limits', async () => {
  const ann = await user()
  const bots = [await user({ bot_of: ann }), await user({ bot_of: ann })]
  const den = await house({ owner: ann, members: bots })
  const callers = [ann, ...bots]
  const send = (n: number) =>
    call(callers[n % 3]!, 'POST', `/rooms/${den.room_id}/messages`, { content: `${n}` })
  let n = 0
  expect(limited(await times(21, () => send(n++)))).toBe(1)
  const own = () => call(callers[n++ % 3]!, 'GET', '/users/@me')
  expect(limited(await times(81, own))).toBe(2)
  for (const caller of callers) expect((await call(caller, 'GET', '/users/@me')).body).toMatchObject(refusal)
  expect((await call(await user(), 'GET', '/users/@me')).status).toBe(200)
})

test('requests with a token also count by address, with the headers of the caller until it refuses', async () => {
  const rateLimits = { ...config.rateLimits, addressUsers: { burst: 3, refillMs: 1_000 } }
  const narrow = await otherApp({ rateLimit: true, rateLimits }, { now: () => time })
  const from = newAddress()
  const people = await Promise.all(Array.from({ length: 4 }, () => user()))
  const ask = (person: (typeof people)[number], where = from) =>
    narrow.call(person, 'GET', '/users/@me', undefined, where)
  for (const person of people.slice(1)) {
    expect((await ask(person)).headers).toMatchObject({
      'ratelimit-limit': '100',
      'ratelimit-remaining': '99',
    })
  }
  const refused = await ask(people[0]!)
  expect(refused.body).toMatchObject(refusal)
  expect(refused.headers).toMatchObject({ 'ratelimit-limit': '3', 'retry-after': '1' })
  expect(await narrow.app.metrics.metrics()).toContain('hearth_rate_limited_total{limit="address_users"} 1')
  expect((await ask(people[0]!, newAddress())).status).toBe(200)
  time += 1_000
  expect((await ask(people[0]!)).status).toBe(200)
})

test('logins count by address and login, in any of its spellings, the right ones too', async () => {
  const { username } = await resident('logan')
  const from = newAddress()
  const logIn = (login: string, where = from) => call(null, 'POST', '/auth/login', { login, password }, where)
  for (const login of [username, username.toUpperCase(), `@${username}`, username, username]) {
    expect((await logIn(login)).status).toBe(200)
  }
  const refused = await logIn(username)
  expect(refused.status).toBe(429)
  expect(refused.headers['retry-after']).toBe('12')
  expect((await logIn('somebody')).body.error.code).toBe('invalid_credentials')
  expect((await logIn(username, newAddress())).status).toBe(200)
  time += 12_000
  expect((await logIn(username)).status).toBe(200)
})

test('both logins of an account count as one, and so does what is asked for it by address', async () => {
  const mia = await resident('mia')
  const from = newAddress()
  const logIn = (login: string) => call(null, 'POST', '/auth/login', { login, password }, from)
  const { username, email } = mia
  for (const login of [username, email, `@${username.toUpperCase()}`, email.toUpperCase()]) {
    expect((await logIn(login)).status).toBe(200)
  }
  const forgot = { email }
  expect((await call(null, 'POST', '/auth/forgot-password', forgot, from)).status).toBe(204)
  expect((await logIn(username)).status).toBe(429)
  expect((await logIn(email)).status).toBe(429)
  expect((await call(mia, 'POST', '/auth/verify-email/resend', undefined, from)).status).toBe(429)
  expect((await call(null, 'POST', '/auth/login', { login: mia.id, password }, from)).status).toBe(400)
})

test('logins by address count together however it is written, also where only PostgreSQL sees that it is the same', async () => {
  const { username } = await resident('ilias')
  const end = username.slice('ilias'.length)
  const from = newAddress()
  const logIn = (login: string) => call(null, 'POST', '/auth/login', { login, password }, from)
  for (const login of ['ilias', 'Ilias', 'İlias', 'ilİas', 'İlİas']) {
    expect((await logIn(`${login}${end}@example.org`)).status).toBe(200)
  }
  expect((await logIn(`ILIAS${end}@example.org`)).status).toBe(429)
})

test('where a caller asks for a code, they count apart from others at their address', async () => {
  const [hal, ida] = [await resident('hal'), await resident('ida')]
  const from = newAddress()
  const ask = (person: typeof hal) => call(person, 'POST', '/auth/verify-email/resend', undefined, from)
  expect(limited(await times(6, () => ask(hal)))).toBe(1)
  expect((await ask(ida)).status).toBe(200)
})

test('forgotten passwords and codes count too', async () => {
  const from = newAddress()
  const forgot = () => call(null, 'POST', '/auth/forgot-password', { email: 'x@example.org' }, from)
  expect(limited(await times(6, forgot))).toBe(1)
  const verify = () => call(null, 'POST', '/auth/verify-email', { code: 'x' }, from)
  expect(limited(await times(6, verify))).toBe(1)
})

test('registrations count by address', async () => {
  const from = newAddress()
  const register = () => call(null, 'POST', '/auth/register', {}, from)
  const answers = await times(11, register)
  expect(limited(answers)).toBe(1)
  expect(answers.at(-1)!.headers['retry-after']).toBe('360')
})

test('logins that are long count by their beginning, which is all that is remembered of them', async () => {
  const from = newAddress()
  const logIn = (end: number) =>
    call(null, 'POST', '/auth/login', { login: `${'x'.repeat(254)}${end}`, password }, from)
  for (let n = 0; n < 5; n += 1) expect((await logIn(n)).status).toBe(400)
  expect((await logIn(5)).status).toBe(429)
})

test('a mistake between wrong passwords gives none of them back', async () => {
  const ann = await resident()
  const change = (body: object) => call(ann, 'PATCH', '/users/@me/password', body)
  for (let n = 0; n < 5; n += 1) {
    const wrong = await change({ current: 'wrong one', new: 'battery staple' })
    expect(wrong.body.error.code).toBe('invalid_credentials')
    expect((await change({})).body.error.code).toBe('invalid_schema')
  }
  expect((await change({ current: password, new: 'battery staple' })).status).toBe(429)
})

test('wrong passwords of a caller count, right ones and other mistakes do not, and many at once are no way around', async () => {
  const ann = await resident()
  const change = (current: string) =>
    call(ann, 'PATCH', '/users/@me/password', { current, new: 'battery staple' })
  for (let i = 0; i < 7; i += 1) {
    const body = { email: 'new@example.org', password }
    expect((await call(ann, 'PATCH', '/users/@me/email', body)).status).toBe(200)
    const mistake = await call(ann, 'PATCH', '/users/@me/password', {})
    expect(mistake.body.error.code).toBe('invalid_schema')
  }
  const answers = await Promise.all(Array.from({ length: 12 }, () => change('wrong one')))
  const wrong = answers.filter((answer) => answer.body.error.code === 'invalid_credentials')
  expect(wrong).toHaveLength(5)
  // What they show is what is left of all requests.
  expect(wrong[0]!.headers['ratelimit-limit']).toBe('100')
  expect(limited(answers)).toBe(7)
  expect((await change(password)).status).toBe(429)
  expect((await call(ann, 'DELETE', '/users/@me', { password })).status).toBe(429)
  expect((await call(ann, 'GET', '/users/@me')).status).toBe(200)
  time += 12_000
  expect((await change(password)).status).toBe(200)
})

test('wrong codes count by caller and address', async () => {
  const [ann, bob] = [await resident(), await resident()]
  const from = newAddress()
  const enable = (person: typeof ann, where = from) =>
    call(person, 'POST', '/users/@me/mfa/totp/enable', { code: '000000' }, where)
  expect(limited(await times(6, () => enable(ann)))).toBe(1)
  expect((await enable(bob)).body.error.code).toBe('invalid_code')
  expect((await enable(ann, newAddress())).body.error.code).toBe('invalid_code')
})

test('with rate limits off nothing is limited, and no limit headers are sent', async () => {
  const off = await otherApp({ rateLimit: false })
  const answers = await times(110, () => off.call(null, 'GET', '/users/nobody'))
  expect(limited(answers)).toBe(0)
  expect(answers[0]!.headers['ratelimit-limit']).toBeUndefined()
})
