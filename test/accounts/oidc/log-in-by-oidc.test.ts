import { beforeEach, describe, expect, test } from 'vitest'
import { password, personOf, resident } from '../../support/accounts.ts'
import { atEnd } from '../../support/at-end.ts'
import { codesOf } from '../../support/mail.ts'
import { createBrowser, startOidcProvider } from '../../support/oidc.ts'
import { otherApp } from '../../support/other-app.ts'
import { smtpServer } from '../../support/smtp.ts'
import { withTotp } from '../../support/two-factor.ts'
import { call, db, failure, noAuth, type Person, published, uniqueName, user } from '../../support/world.ts'

const origins: string[] = []
const smtp = await smtpServer()
atEnd(smtp.close)
const provider = await startOidcProvider(() => origins.map((origin) => `${origin}/auth/oidc/callback`))

async function serverWith(changes: { linksByEmail?: boolean; registration?: 'open' | 'closed' } = {}) {
  const { linksByEmail = false, registration = 'open' } = changes
  const oidc = { ...provider.settings, linksByEmail }
  const other = await otherApp({ oidc, registration, publicUrl: undefined, smtpUrl: smtp.url })
  const origin = await other.app.listen({ port: 0, host: '127.0.0.1' })
  origins.push(origin)
  return { origin, call: other.call }
}

const server = await serverWith()
const linking = await serverWith({ linksByEmail: true })
const shut = await serverWith({ registration: 'closed' })

let subject = ''
beforeEach(() => {
  subject = uniqueName('subject')
  provider.refuse(false)
})
/** What the provider says of the person of the test. */
const claims = (more: object = {}) => ({ sub: subject, ...more })
const newEmail = () => `${uniqueName('oidc')}@example.org`

/** Goes the whole way in a browser of one's own. Gives the code. */
async function codeFrom({ origin }: { origin: string }, browser = createBrowser()): Promise<string> {
  const landed = await browser.follow(`${origin}/auth/oidc`, /\/app\/oidc/)
  return landed.searchParams.get('code') ?? `no code in ${landed}`
}

async function logIn(at: typeof server) {
  return at.call(null, 'POST', '/auth/oidc', { code: await codeFrom(at) })
}

const verify = ({ id }: Person) =>
  db.updateTable('users').set({ email_verified: true }).where('id', '=', id).execute()
const emailTaken = failure('email_taken', 'That email is already taken')
const invalidCode = failure('invalid_code', 'That code is wrong or has expired')

describe('the way of a login', () => {
  test('a login at the provider makes an account, and the next one finds it', async () => {
    const email = newEmail()
    const preferred_username = uniqueName('Ánn.Of_OIDC')
    provider.become(claims({ email, email_verified: true, preferred_username, name: 'Ann' }))
    const first = await logIn(server)
    expect(first.status).toBe(200)
    expect(first.body.data.user).toMatchObject({
      username: preferred_username.toLowerCase().slice(1),
      name: 'Ann',
      email,
      email_verified: true,
    })
    const ann = await personOf(first)
    expect((await call(ann, 'GET', '/users/@me')).body.data.id).toBe(ann.id)
    provider.become(claims({ email: newEmail(), preferred_username: uniqueName('other') }))
    expect((await logIn(server)).body.data.user).toMatchObject({ id: ann.id, email })
  })

  test('the request to the provider has state, nonce and a PKCE challenge, and the cookie is out of reach', async () => {
    const answer = await server.call(null, 'GET', '/auth/oidc')
    expect(answer.status).toBe(302)
    const asked = new URL(String(answer.headers.location))
    expect(asked.origin).toBe(provider.issuer)
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      client_id: 'hearth',
      response_type: 'code',
      redirect_uri: `${server.origin}/auth/oidc/callback`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^.{43}$/),
      state: expect.stringMatching(/^.{43}$/),
      nonce: expect.stringMatching(/^.{43}$/),
    })
    const cookie = String(answer.headers['set-cookie'])
    expect(cookie).toMatch(/^hearth-oidc=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)
    expect(cookie).not.toContain(asked.searchParams.get('state')!)
  })

  test('a code works once', async () => {
    provider.become(claims())
    const code = await codeFrom(server)
    const answers = await Promise.all([1, 2, 3].map(() => server.call(null, 'POST', '/auth/oidc', { code })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect(answers.find(({ status }) => status === 400)!.body).toEqual(invalidCode)
  })

  test('a code works for a minute, and is stored as a hash', async () => {
    provider.become(claims())
    const code = await codeFrom(server)
    const codes = db.selectFrom('oidc_codes').selectAll().where('subject', '=', subject)
    const [row] = await codes.execute()
    expect(JSON.stringify(row)).not.toContain(code)
    expect(row!.expires_at.getTime()).toBeLessThanOrEqual(Date.now() + 60_000)
    const expires_at = new Date(0)
    await db.updateTable('oidc_codes').set({ expires_at }).where('subject', '=', subject).execute()
    expect((await server.call(null, 'POST', '/auth/oidc', { code })).body).toEqual(invalidCode)
    await codeFrom(server)
    expect(await codes.execute()).toHaveLength(1)
  })

  test.each([[{}], [{ code: 5 }], [{ code: null }]])('a body of %j is refused', async (body) => {
    const answer = await call(null, 'POST', '/auth/oidc', body)
    expect(answer.body).toEqual(failure('invalid_schema', 'Required fields (code) not met'))
  })

  test.each(['', 'x', '0'.repeat(32)])('the code %j is wrong', async (code) => {
    expect((await call(null, 'POST', '/auth/oidc', { code })).body).toEqual(invalidCode)
  })
})

describe('whose account it is', () => {
  test('an address that an account has is taken, unless accounts are linked', async () => {
    const ann = await resident()
    await verify(ann)
    provider.become(claims({ email: ann.email.toUpperCase(), email_verified: true }))
    expect((await logIn(server)).body).toEqual(emailTaken)
    const linked = await logIn(linking)
    expect(linked.body.data.user.id).toBe(ann.id)
    // From then on every access is that of the owner.
    expect((await logIn(server)).body.data.user.id).toBe(ann.id)
  })

  test('a link by address ends what an earlier holder has, and is told by mail; later logins end nothing', async () => {
    const ann = await resident()
    await verify(ann)
    const bot = await user({ bot_of: ann })
    const change = { email: newEmail(), password }
    expect((await call(ann, 'PATCH', '/users/@me/email', change)).status).toBe(200)
    provider.become(claims({ email: ann.email, email_verified: true }))
    const linked = await personOf(await logIn(linking))
    expect(linked.id).toBe(ann.id)
    for (const former of [ann, bot]) expect((await call(former, 'GET', '/users/@me')).body).toEqual(noAuth)
    const login = { login: ann.email, password }
    expect((await call(null, 'POST', '/auth/login', login)).body.error.code).toBe('invalid_credentials')
    expect(await codesOf(ann)).toEqual([])
    const session_ids = expect.arrayContaining([ann.session_id])
    expect(published).toContainEqual({ type: 'sessions_ended', session_ids })
    expect((await smtp.next(ann.email)).text).toContain('Subject: A login provider was linked')
    expect((await logIn(linking)).status).toBe(200)
    expect((await call(linked, 'GET', '/users/@me')).status).toBe(200)
    expect(smtp.mailsTo(ann.email)).toEqual([])
  })

  test.each([
    ['the provider has not verified it', true, false],
    ['the account has not', false, true],
  ])('an address is not linked where %s', async (_who, here, there) => {
    const ann = await resident()
    if (here) await verify(ann)
    provider.become(claims({ email: ann.email, email_verified: there }))
    expect((await logIn(linking)).body).toEqual(emailTaken)
    expect(
      await db.selectFrom('oidc_identities').selectAll().where('user_id', '=', ann.id).execute(),
    ).toEqual([])
  })

  test('an address is not linked that another source than the one with it has verified', async () => {
    const ann = await resident()
    await verify(ann)
    const token = { email: newEmail(), email_verified: true }
    provider.become(claims({ email: ann.email }), token)
    expect((await logIn(linking)).body).toEqual(emailTaken)
    // Where the provider says nothing more of the user, the token counts.
    provider.become(claims(), { ...token, email: ann.email })
    expect((await logIn(linking)).body.data.user.id).toBe(ann.id)
  })

  test('an address that is not verified is not kept: who has it can register it', async () => {
    const email = newEmail()
    provider.become(claims({ email, email_verified: false }))
    expect((await logIn(server)).body.data.user).toMatchObject({ email: '', email_verified: false })
    const answer = await call(null, 'POST', '/auth/register', {
      email,
      username: uniqueName('who-has-it'),
      password,
    })
    expect(answer.status).toBe(200)
  })

  test('an account with two-factor is not linked', async () => {
    const ann = await withTotp('ann-of-two-factors')
    await verify(ann)
    provider.become(claims({ email: ann.email, email_verified: true }))
    expect((await logIn(linking)).body).toEqual(emailTaken)
  })

  test('a closed server takes those it knows, and nobody new', async () => {
    provider.become(claims())
    const refused = await logIn(shut)
    expect(refused.body).toEqual(failure('registration_closed', 'Registration is closed on this server'))
    await logIn(server)
    expect((await logIn(shut)).status).toBe(200)
  })

  test('a disabled account does not log in, and a deleted one is no longer found', async () => {
    provider.become(claims())
    const ann = await personOf(await logIn(server))
    await db.updateTable('users').set({ disabled: true }).where('id', '=', ann.id).execute()
    const wrong = failure('invalid_credentials', 'The login or password is wrong')
    expect((await logIn(server)).body).toEqual(wrong)
    await db.updateTable('users').set({ disabled: false }).where('id', '=', ann.id).execute()
    expect((await call(ann, 'DELETE', '/users/@me', { password: '' })).status).toBe(200)
    expect((await logIn(server)).body.data.user.id).not.toBe(ann.id)
  })

  test.each([
    ['admin', undefined],
    ['12345', undefined],
    ['deleted-12', undefined],
    [undefined, 'deleted-me@example.org'],
    ['x', undefined],
    ['..', 'good.name@example.org'],
    [undefined, undefined],
    ['y'.repeat(200), undefined],
  ])('the username %j at the provider becomes one that is free', async (preferred_username, email) => {
    provider.become(claims({ preferred_username, email }))
    const { status, body } = await logIn(server)
    expect(status).toBe(200)
    expect(body.data.user.username).toMatch(/^(?![0-9]+$)[a-z0-9][a-z0-9_.-]{1,30}[a-z0-9]$/)
    expect(body.data.user.username).not.toBe('admin')
  })

  test('two people with one name get two accounts', async () => {
    const names = []
    const twin = uniqueName('twin')
    for (const sub of [`${twin}-1`, `${twin}-2`]) {
      provider.become({ sub, preferred_username: twin })
      names.push((await logIn(server)).body.data.user.username)
    }
    expect(names).toEqual([twin, expect.stringMatching(new RegExp(`^${twin}[0-9]+$`))])
  })
})

describe('an account without a password', () => {
  test('a login younger than ten minutes stands for it', async () => {
    provider.become(claims({ email: newEmail(), email_verified: true }))
    const ann = await personOf(await logIn(server))
    const totp = await call(ann, 'POST', '/users/@me/mfa/totp', { password: '' })
    expect(totp.status).toBe(200)
    const set = await call(ann, 'PATCH', '/users/@me/password', { current: '', new: password })
    expect(set.status).toBe(200)
    const login = await call(null, 'POST', '/auth/login', { login: ann.username, password })
    expect(login.status).toBe(200)
    // Now there is one, and only that counts.
    const wrong = await call(ann, 'PATCH', '/users/@me/password', { current: '', new: 'another horse' })
    expect(wrong.body.error.code).toBe('invalid_credentials')
  })

  test('an older one does not', async () => {
    provider.become(claims())
    const ann = await personOf(await logIn(server))
    const id = String(BigInt(ann.session_id) - (BigInt(601_000) << 22n))
    await db.updateTable('sessions').set({ id }).where('id', '=', ann.session_id).execute()
    for (const [method, path, body] of [
      ['DELETE', '/users/@me', { password: '' }],
      ['PATCH', '/users/@me/password', { current: '', new: password }],
      ['PATCH', '/users/@me/email', { email: newEmail(), password: '' }],
      ['POST', '/users/@me/mfa/totp', { password: '' }],
    ] as const) {
      expect((await call(ann, method, path, body)).body.error.code).toBe('invalid_credentials')
    }
  })

  test('nobody logs in to it with a password', async () => {
    provider.become(claims())
    const { username } = (await logIn(server)).body.data.user
    for (const each of ['', 'null', password]) {
      const answer = await call(null, 'POST', '/auth/login', { login: username, password: each })
      expect(answer.body.error.code).toBe('invalid_credentials')
    }
  })
})
