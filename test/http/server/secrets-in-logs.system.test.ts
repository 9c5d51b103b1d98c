import { sql } from 'kysely'
import { generate } from 'otplib'
import { afterAll, expect, test } from 'vitest'
import { redactSecrets, withoutSecrets } from '../../../src/http/server/logger.ts'
import { Client } from '../../support/gateway.ts'
import { ownWorld } from '../../support/own-world.ts'
import { startServer } from '../../support/server.ts'
import { codeIn, smtpServer } from '../../support/smtp.ts'
import { databaseUrl, db, folder } from '../../support/world.ts'

await ownWorld()

const metricsToken = 'a-token-for-prometheus'
const mail = await smtpServer()
const server = await startServer(folder, {
  environment: {
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'trace',
    METRICS_TOKEN: metricsToken,
    SMTP_URL: mail.url,
  },
})
afterAll(() => server.end('SIGKILL'))

let output = ''
server.child.stdout!.on('data', (chunk) => (output += chunk))
server.child.stderr!.on('data', (chunk) => (output += chunk))

/** The secrets that no log may contain. */
const secrets = new Set<string>([metricsToken])
const email = 'ann.of.the.logs@example.org'
const password = 'correct horse battery'
const next = 'another fine password'

// biome-ignore lint/suspicious/noExplicitAny: what the server answers is for the walk to find out
type Data = any

async function ask(token: string | null, method: string, path: string, body?: unknown): Promise<Data> {
  const answer = await fetch(server.origin + path, {
    method,
    headers: { 'content-type': 'application/json', ...(token !== null && { authorization: token }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return text === '' ? undefined : JSON.parse(text).data
}

function keep(...found: string[]): void {
  for (const secret of found) secrets.add(secret)
}

async function codeFromMail(): Promise<string> {
  const received = await mail.next()
  const code = codeIn(received)
  keep(code, /#code=([0-9a-f]{32})/.exec(received.text)![1]!)
  return code
}

async function walkThroughAccounts(): Promise<string> {
  keep(email, password, next)
  const registered = await ask(null, 'POST', '/auth/register', { email, username: 'ann', password })
  keep(registered.token)
  await ask(null, 'POST', '/auth/verify-email', { code: await codeFromMail() })
  await ask(null, 'POST', '/auth/login', { login: email, password: 'a wrong password' })
  keep('a wrong password')
  await ask(null, 'POST', '/auth/register', { email, username: 'bob', password })
  await ask(null, 'POST', '/auth/register', `{"email": "${email}", "password": "${password}"`)
  await ask(null, 'POST', '/auth/forgot-password', { email })
  const code = await codeFromMail()
  await ask(null, 'POST', '/auth/reset-password', { code, password: next })
  const { token } = await ask(null, 'POST', '/auth/login', { login: email, password: next })
  keep(token)
  const totp = await ask(token, 'POST', '/users/@me/mfa/totp', { password: next })
  keep(totp.secret, totp.otpauth_url)
  const enabled = await ask(token, 'POST', '/users/@me/mfa/totp/enable', {
    code: await generate({ secret: totp.secret }),
  })
  keep(...enabled.backup_codes)
  await ask(token, 'DELETE', '/users/@me/mfa/totp', { code: enabled.backup_codes[0] })
  await ask(token, 'PATCH', '/users/@me/password', { current: next, new: password })
  await ask(token, 'PATCH', '/users/@me/email', { email: 'new.ann@example.org', password })
  keep('new.ann@example.org')
  return token
}

async function walkThroughHouses(token: string): Promise<void> {
  const bot = await ask(token, 'POST', '/bots', { username: 'helper', name: 'Helper' })
  keep(bot.token)
  const den = await ask(token, 'POST', '/houses', { name: 'Den' })
  const room = den.rooms[0].id
  const { code } = await ask(token, 'POST', `/houses/${den.id}/invites`, {})
  keep(code)
  await ask(null, 'GET', `/invites/${code}?with=${code}`)
  await ask(token, 'POST', `/v1/invites/${code}/`, {})
  for (const page of ['/app/invite/', '/app/%69nvite/', '/v1/app/invite//'])
    await fetch(`${server.origin}${page}${code}`)
  const hook = await ask(token, 'POST', `/houses/${den.id}/webhooks`, { room_id: room, name: 'Hook' })
  const { pathname } = new URL(hook.url)
  const secret = pathname.split('/').at(-1)!
  const encoded = [...secret].map((digit) => `%${digit.charCodeAt(0).toString(16)}`).join('')
  keep(secret, encoded)
  await ask(null, 'POST', pathname, { content: 'x' })
  await ask(null, 'POST', pathname.replace(secret, encoded), { content: 'x' })
  await ask(null, 'GET', `${pathname}/`)
  await ask(token, 'POST', `/rooms/${room}/messages`, { content: `mail me at ${email}` })
  keep('whispers')
  await ask(token, 'GET', `/rooms/${room}/messages/search?q=whispers`)
  const form = new FormData()
  form.append('file', new Blob(['a file']), `${email}.txt`)
  const path = `${server.origin}/rooms/${room}/media_messages`
  const sent = await fetch(path, { method: 'POST', headers: { authorization: token }, body: form })
  const { data } = (await sent.json()) as Data
  const url = new URL(data.attachment.media_url)
  keep(url.searchParams.get('key') ?? url.search.slice(1))
  await fetch(server.origin + url.pathname + url.search)
}

async function walkAstray(token: string): Promise<void> {
  const wrong = 'f'.repeat(128)
  keep(wrong)
  await ask(wrong, 'GET', '/users/@me')
  await ask(`Bearer ${token}`, 'GET', `/users/${email}`)
  await ask(null, 'GET', `/users/${encodeURIComponent(email)}`)
  await ask(token, 'GET', `/nowhere/${token}?token=${token}&email=${email}`)
  await ask(token, 'PATCH', '/users/@me', { bio: 5, token, email })
  await fetch(`${server.origin}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  for (const login of [token, wrong, 'short']) {
    const client = new Client(server.origin)
    client.send({ op: 2, d: { token: login } })
    if (login === token) await client.next('INIT_STATE')
    else await client.end()
    client.send({ op: 11, d: { session_id: '1', seq: 1, token: login } })
  }
}

/** A bug of ours, of the kind that quotes what it was about. */
async function failUnexpectedly(token: string): Promise<void> {
  await sql`create function fail() returns trigger language plpgsql as $$ begin
    raise exception 'no % for %', new.email, '${sql.raw(token)}' using detail = 'row of ' || new.email || ' ' || new.password_hash;
  end $$`.execute(db)
  await sql`create trigger fail before update on users for each row execute function fail()`.execute(db)
  await ask(token, 'PATCH', '/users/@me', { bio: 'hello' })
  const { password_hash } = await db
    .selectFrom('users')
    .select('password_hash')
    .where('username', '=', 'ann')
    .executeTakeFirstOrThrow()
  keep(password_hash!, password_hash!.split('$').at(-1)!)
}

test('a walk through everything that takes or gives secrets leaves none in the log of every level', async () => {
  const token = await walkThroughAccounts()
  await walkThroughHouses(token)
  await walkAstray(token)
  await failUnexpectedly(token)
  expect(await server.end('SIGTERM')).toBe(0)
  await mail.close()

  const lines = output.split('\n').filter((line) => line.startsWith('{'))
  for (const line of lines) JSON.parse(line)
  expect(lines.length).toBeGreaterThan(40)
  expect(output).toContain('/auth/login')
  expect(output).toContain('unexpected failure')
  expect(secrets.size).toBeGreaterThan(20)
  const log = decodeURIComponent(output.replaceAll(/%(?![0-9a-f]{2})/gi, ''))
  expect([...secrets].filter((secret) => log.includes(secret))).toEqual([])
  expect(log).not.toMatch(/[\w.]+@example\.org/)
})

test.each([
  ['Key (email)=(ann@example.org) already exists', 'Key (email)=([address]) already exists'],
  ['GET /users/ann%40example.org', 'GET /users/[address]'],
  [`token ${'0a'.repeat(64)}!`, 'token [secret]!'],
  [
    'at file:///app/node_modules/@fastify/send/index.js:3',
    'at file:///app/node_modules/@fastify/send/index.js:3',
  ],
  ['a@b@example.org', '[address]'],
  ['GET /users/@ann@example.org', 'GET /users/[address]'],
  ['@me of 976015189591719937', '@me of 976015189591719937'],
])('of %j stays %j', (text, expected) => {
  expect(redactSecrets(text)).toBe(expected)
})

test.each([
  ['/invites/Ab3dE', '/invites/[code]'],
  ['/houses/12/invites/Ab3dE', '/houses/12/invites/[code]'],
  ['/app/invite/Ab3dE', '/app/invite/[code]'],
  ['/app/%69nvite/Ab3d%45/', '/app/invite/[code]/'],
  ['/app/%zz/invite/Ab3dE', '/app/%zz/invite/[code]'],
  ['/Invites//Ab3dE', '/Invites//[code]'],
  ['/%77ebhooks/12/t0ken', '/webhooks/12/[secret]'],
  ['/houses/12/webhooks/13', '/houses/12/webhooks/13'],
  ['/users/a%20b', '/users/a%20b'],
])('of the path %j stays %j', (path, expected) => {
  expect(withoutSecrets(path)).toBe(expected)
})

test('redacts a line full of @ in linear time', () => {
  const line = 'a@'.repeat(3_000)
  expect(redactSecrets(line) === line).toBe(true)
})

test('looks for secrets in a path full of slashes in linear time', () => {
  const path = '/'.repeat(15_000)
  const started = performance.now()
  expect(withoutSecrets(path) === path).toBe(true)
  expect(performance.now() - started).toBeLessThan(100)
})
