import { describe, expect, test } from 'vitest'
import { atEnd } from '../support/at-end.ts'
import { environment, hearth, hearthIn } from '../support/cli.ts'
import { smtpServer } from '../support/smtp.ts'
import { countBackupCodes, withTotp } from '../support/two-factor.ts'
import { call, db, uniqueName, user } from '../support/world.ts'

const tokenOf = (text: string) => /^Token: (.+)$/m.exec(text)![1]!
const codeOf = (text: string) => /: ([0-9a-f]{32})$/m.exec(text)![1]!
const logIn = (login: string, password: string) => call(null, 'POST', '/auth/login', { login, password })

describe('create-user', () => {
  test('a user is made, without a login session, and logs in with the password', async () => {
    const username = uniqueName('ann')
    const [typed, email] = [username.replace('a', 'A'), `${username.toUpperCase()}@example.org`]
    const { code, out } = await hearth('create-user', email, typed, '--password', 'correct horse')
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(`^User ${username} has the id [0-9]+\\.$`))
    const sessions = await db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'user_id')
      .where('username', '=', username)
      .select('sessions.id')
      .execute()
    expect(sessions).toEqual([])
    const { status, body } = await logIn(username, 'correct horse')
    expect(status).toBe(200)
    expect(body.data.user).toMatchObject({ username, email, email_verified: false })
  })

  test('without a password one is made up and shown; --name and --verified are kept', async () => {
    const bob = uniqueName('bob')
    const options = ['--name', 'Bob B', '--verified']
    const { out } = await hearth('create-user', `${bob}@example.org`, bob, ...options)
    const password = /^Password: (.{20})$/m.exec(out)![1]!
    const { body } = await logIn(bob, password)
    expect(body.data.user).toMatchObject({ name: 'Bob B', email_verified: true })
  })

  test.each([
    [['x@example.org'], 2, /^<username> is missing: npm run hearth -- create-user <email> <username> /],
    [['x@example.org', 'xavier', 'more'], 2, /^"more" is one too many: /],
    [['x@example.org', 'xavier', '--pass', 'word'], 2, /^Unknown option '--pass': /],
    [['x@example.org', ''], 2, /^<username> is empty: /],
    [['nobody', 'xavier'], 1, /^The email cannot be used: an e-mail address of up to 254 /],
    [['x@example.org', '1'], 1, /^The username cannot be used: 3–32 of a-z/],
    [
      ['x@example.org', 'xavier', '--password', 'short'],
      1,
      /^The password cannot be used: it has fewer than 8 characters\.$/,
    ],
    [
      ['x@example.org', 'xavier', '--password', 'xavier2026'],
      1,
      /^The password cannot be used: it is one of the first/,
    ],
    [['x@example.org', 'xavier', '--name', ' '], 1, /^The name cannot be used: /],
    [['x@example.org', 'admin'], 1, /^That username is already taken\.$/],
  ])('%j ends with %i and a sentence', async (words, code, sentence) => {
    const result = await hearth('create-user', ...words)
    expect(result.err).toMatch(sentence)
    expect(result).toMatchObject({ code, out: '' })
  })

  test('an address that is taken, in any case, ends with 1 and a sentence', async () => {
    const { username } = await user()
    const email = `${username.toUpperCase()}@example.org`
    const { code, err } = await hearth('create-user', email, uniqueName('somebody'))
    expect([code, err]).toEqual([1, 'That email is already taken.'])
  })
})

describe('reset-password', () => {
  test('with --password it is set, and every login session has ended', async () => {
    const cat = await user()
    const { code, out } = await hearth('reset-password', cat.username, '--password', 'a new password')
    expect([code, out]).toEqual([0, `The password of ${cat.username} is set; every login session has ended.`])
    expect((await call(cat, 'GET', '/users/@me')).body.error.code).toBe('no_auth')
    expect((await logIn(cat.username, 'a new password')).status).toBe(200)
  })

  test('with --disable-totp two-factor is off as well, and the tokens of bots have ended', async () => {
    const fin = await withTotp('fin')
    const bot = await user({ bot_of: fin })
    expect((await hearth('reset-password', fin.username, '--password', 'a new password')).code).toBe(0)
    expect((await logIn(fin.username, 'a new password')).body.error.code).toBe('mfa_required')
    expect((await call(bot, 'GET', '/users/@me')).body.error.code).toBe('no_auth')
    const args = ['reset-password', fin.username, '--password', 'a new password', '--disable-totp']
    expect((await hearth(...args)).code).toBe(0)
    expect((await logIn(fin.username, 'a new password')).status).toBe(200)
    expect(await countBackupCodes(fin)).toBe(0)
  })

  test('the owner is told by mail of what has changed', async () => {
    const smtp = await smtpServer()
    atEnd(smtp.close)
    const [fin, gus] = [await withTotp('fin'), await withTotp('gus')]
    const withMail = (...words: string[]) => hearthIn({ ...environment(), SMTP_URL: smtp.url }, ...words)
    const args = ['reset-password', fin.username, '--password', 'a new password', '--disable-totp']
    expect(await withMail(...args)).toMatchObject({ code: 0, err: '' })
    for (let n = 0; n < 2; n += 1) expect((await withMail('disable-totp', gus.username)).code).toBe(0)
    const subjects = (email: string) =>
      smtp.mailsTo(email).map(({ text }) => /^Subject: (.*) \(/m.exec(text)![1])
    const disabled = 'Two-factor authentication was disabled'
    expect(subjects(fin.email)).toEqual([disabled, 'Your password was changed'])
    expect(subjects(gus.email)).toEqual([disabled])
  })

  test('without one a code is handed out that sets it over HTTP, once', async () => {
    const dan = await user()
    const { out } = await hearth('reset-password', dan.id)
    const body = { code: codeOf(out), password: 'another password' }
    expect((await call(null, 'POST', '/auth/reset-password', body)).status).toBe(200)
    expect((await logIn(dan.username, 'another password')).status).toBe(200)
    expect((await call(null, 'POST', '/auth/reset-password', body)).body.error.code).toBe('invalid_code')
  })

  test('an unknown user, a bot, and a password that is too short are refused', async () => {
    const eve = await user()
    const bot = await user({ bot_of: eve })
    const unknown = await hearth('reset-password', 'nobody-here')
    expect(unknown).toMatchObject({
      code: 1,
      err: 'There is no user "nobody-here": give a username, an id or an e-mail address.',
    })
    expect(await hearth('reset-password', bot.id)).toMatchObject({
      code: 1,
      err: `${bot.username} is a bot.`,
    })
    const short = await hearth('reset-password', eve.id, '--password', 'short')
    expect(short.err).toMatch(/^The password cannot be used: /)
    expect((await call(eve, 'GET', '/users/@me')).status).toBe(200)
  })
})

describe('issue-code', () => {
  test('a verify-email code proves the address over HTTP; then there is nothing left to prove', async () => {
    const fay = await user()
    const { out } = await hearth('issue-code', 'verify-email', fay.username)
    expect(out).toContain(`${fay.username}@example.org`)
    const answer = await call(fay, 'POST', '/auth/verify-email', { code: codeOf(out) })
    expect(answer.body.data).toEqual({ email_verified: true })
    const again = await hearth('issue-code', 'verify-email', fay.username)
    expect(again).toMatchObject({
      code: 1,
      err: `The e-mail address of ${fay.username} is proven already.`,
    })
  })

  test('a reset-password code sets a password over HTTP', async () => {
    const gus = await user()
    const { out } = await hearth('issue-code', 'reset-password', `@${gus.username}`)
    const body = { code: codeOf(out), password: 'yet another one' }
    expect((await call(null, 'POST', '/auth/reset-password', body)).status).toBe(200)
  })

  test('a purpose that there is not ends with 2 and a sentence that names the two', async () => {
    const { code, err } = await hearth('issue-code', 'anything', 'gus')
    expect(code).toBe(2)
    expect(err).toMatch(
      /^<purpose> is "anything" and not verify-email or reset-password: npm run hearth -- issue-code/,
    )
  })
})

describe('make-bot', () => {
  test('the token is shown and belongs to a bot of the owner', async () => {
    const hal = await user()
    const username = uniqueName('helper.bot')
    const typed = username.replace('h', 'H')
    const { code, out } = await hearth('make-bot', hal.username, typed, '--name', 'Helper')
    expect(code).toBe(0)
    const me = await call({ ...hal, token: tokenOf(out) }, 'GET', '/users/@me')
    expect(me.body.data).toMatchObject({ username, name: 'Helper', bot: true })
    const { id } = me.body.data
    const bot = await db.selectFrom('users').select('owner_id').where('id', '=', id).executeTakeFirstOrThrow()
    expect(bot.owner_id).toBe(hal.id)
  })

  test('an unknown owner, a bot as owner, and a taken username are refused', async () => {
    const ida = await user()
    const bot = await user({ bot_of: ida })
    expect((await hearth('make-bot', '42', 'some-bot')).err).toMatch(/^There is no user "42"/)
    expect((await hearth('make-bot', bot.id, 'some-bot')).err).toBe(`${bot.username} is a bot.`)
    const off = await user()
    await db.updateTable('users').set({ disabled: true }).where('id', '=', off.id).execute()
    expect((await hearth('make-bot', off.id, 'some-bot')).err).toBe(`${off.username} is disabled.`)
    const taken = await hearth('make-bot', ida.id, ida.username)
    expect(taken).toMatchObject({ code: 1, err: 'That username is already taken.' })
  })
})
