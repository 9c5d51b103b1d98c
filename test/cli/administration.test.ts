import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newId } from '../../src/ids.ts'
import { password, resident } from '../support/accounts.ts'
import { hearth } from '../support/cli.ts'
import { failing } from '../support/statements.ts'
import { withTotp } from '../support/two-factor.ts'
import { admin, call, db, house, noAuth, user } from '../support/world.ts'

const logIn = (login: string) => call(null, 'POST', '/auth/login', { login, password })

test('list-users lists accounts in lines, and as the administration routes answer them', async () => {
  const before = newId()
  const ruler = await admin()
  const ann = await user()
  const bot = await user({ bot_of: ann })
  await hearth('disable-user', ann.id)
  const { out } = await hearth('list-users')
  const own = [ruler, ann, bot].map(({ id }) => id)
  expect(out.split('\n').filter((line) => own.includes(line.split(' ')[0]!))).toEqual([
    `${ruler.id}  ${ruler.username}  ${ruler.username}@example.org  admin`,
    `${ann.id}  ${ann.username}  ${ann.username}@example.org  disabled`,
    `${bot.id}  ${bot.username}  -  bot`,
  ])
  const { out: json } = await hearth('list-users', '--json')
  const listed = JSON.parse(json).filter(({ user }: { user: { id: string } }) => own.includes(user.id))
  const { data } = (await call(ruler, 'GET', `/admin/users?after=${before}`)).body
  expect(listed).toEqual(data)
})

test('show-user shows an account by username, id or e-mail address', async () => {
  const ruler = await admin()
  const ann = await resident('shown')
  for (const ref of [ann.username, `@${ann.username.replace('s', 'S')}`, ann.id, ann.email!.toUpperCase()]) {
    const { code, out } = await hearth('show-user', ref)
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(`^email +${ann.email} \\(not verified\\)$`, 'm'))
    expect(out).toMatch(/^state +user$/m)
  }
  const { out } = await hearth('show-user', ann.username, '--json')
  expect(JSON.parse(out)).toEqual((await call(ruler, 'GET', `/admin/users/${ann.id}`)).body.data)
})

test('disable-user ends the sessions, enable-user lets the account log in again', async () => {
  const ann = await resident()
  const disabled = await hearth('disable-user', ann.username)
  expect(disabled).toMatchObject({
    code: 0,
    out: `${ann.username} is disabled; every login session has ended.`,
  })
  expect((await call(ann, 'GET', '/users/@me')).body).toEqual(noAuth)
  expect((await logIn(ann.username)).body.error.code).toBe('invalid_credentials')
  const { out } = await hearth('enable-user', ann.username, '--json')
  expect(JSON.parse(out)).toMatchObject({ user: { id: ann.id }, disabled: false })
  expect((await logIn(ann.username)).status).toBe(200)
})

test('end-sessions and disable-totp do as they say', async () => {
  const ann = await withTotp('ann-of-totp')
  expect((await hearth('end-sessions', ann.id)).out).toBe(`Ended 1 login session of ${ann.username}.`)
  expect((await call(ann, 'GET', '/users/@me')).body).toEqual(noAuth)
  const { out } = await hearth('disable-totp', ann.id)
  expect(out).toBe(`${ann.username} has no two-factor authentication.`)
  expect((await logIn(ann.username)).status).toBe(200)
})

test('make-admin and unmake-admin open and shut the administration routes', async () => {
  const ann = await user()
  expect((await hearth('make-admin', ann.username)).out).toBe(`${ann.username} is an admin.`)
  expect((await call(ann, 'GET', '/admin/overview')).status).toBe(200)
  expect((await hearth('unmake-admin', ann.username)).out).toBe(`${ann.username} is no admin.`)
  expect((await call(ann, 'GET', '/admin/overview')).status).toBe(404)
  const bot = await user({ bot_of: ann })
  expect(await hearth('make-admin', bot.id)).toMatchObject({ code: 1, err: `${bot.username} is a bot.` })
})

test('delete-user asks for --yes, then deletes the account', async () => {
  const ann = await user()
  const asked = await hearth('delete-user', ann.username)
  expect(asked).toMatchObject({
    code: 1,
    err: `This would delete ${ann.username} for good: say so with --yes.`,
  })
  expect((await call(ann, 'GET', '/users/@me')).status).toBe(200)
  const { code, out } = await hearth('delete-user', ann.username, '--yes', '--json')
  expect([code, JSON.parse(out)]).toEqual([0, { id: ann.id }])
  expect((await call(ann, 'GET', '/users/@me')).body).toEqual(noAuth)
})

test.each([
  'show-user',
  'disable-user',
  'enable-user',
  'delete-user',
  'end-sessions',
  'disable-totp',
  'make-admin',
  'unmake-admin',
])('%s refuses an unknown user and a wrong command line', async (name) => {
  const unknown = await hearth(name, 'nobody-here')
  expect(unknown).toEqual({
    code: 1,
    out: '',
    err: 'There is no user "nobody-here": "npm run hearth -- list-users" lists them.',
  })
  const missing = await hearth(name)
  expect([missing.code, missing.err]).toEqual([2, expect.stringMatching(/^<user> is missing: npm run /)])
  expect((await hearth(name, 'x', '--xml')).code).toBe(2)
})

test('list-houses --json and delete-house --json answer in one line', async () => {
  const ruler = await admin()
  const before = newId()
  const den = await house({ owner: ruler })
  const { out } = await hearth('list-houses', '--json')
  const listed: object[] = (await call(ruler, 'GET', `/admin/houses?after=${before}`)).body.data
  const own = JSON.parse(out).filter((each: { house: { id: string } }) => each.house.id === den.id)
  expect(own).toEqual(listed.map((each) => ({ ...each, max_age: null })))
  expect(JSON.parse((await hearth('delete-house', den.id, '--yes', '--json')).out)).toEqual({ id: den.id })
})

test.each([
  ['issue-code', 'reset-password'],
  ['reset-password'],
  ['create-user', 'unheard@example.org', 'unheard'],
  ['make-bot'],
])('%j does nothing that the audit log does not take', async (...words) => {
  const ann = await user()
  const state = async () => [
    await db.selectFrom('account_codes').select('code_hash').where('user_id', '=', ann.id).execute(),
    await db
      .selectFrom('users')
      .select(['id', 'password_hash'])
      .where('id', '>=', ann.id)
      .orderBy('id')
      .execute(),
  ]
  const before = await state()
  const rest = { 'create-user': [], 'make-bot': [ann.id, 'unheard'] }[words[0]!] ?? [ann.id]
  await failing(/insert into server_audit_log/, async () => {
    expect((await hearth(...words, ...rest)).code).toBe(1)
  })
  expect(await state()).toEqual(before)
})

test('a password is not reset where the audit log does not take it', async () => {
  const ann = await user()
  await failing(/insert into server_audit_log/, async () => {
    expect((await hearth('reset-password', ann.id, '--password', 'a new password')).code).toBe(1)
  })
  // No login session has ended either.
  expect((await call(ann, 'GET', '/users/@me')).status).toBe(200)
})

test('exports and imports of houses are in the audit log', async () => {
  const ruler = await admin()
  const den = await house({ owner: ruler })
  const folder = await mkdtemp(join(tmpdir(), 'hearth-archive-'))
  const path = join(folder, 'den.zip')
  expect((await hearth('export-house', den.id, path)).code).toBe(0)
  const { out } = await hearth('import-house', path)
  await rm(folder, { recursive: true })
  const { body } = await call(ruler, 'GET', '/admin/audit-log?limit=2')
  expect(body.data).toMatchObject([
    {
      action: 'house_imported',
      actor: null,
      target_type: 'house',
      target_id: /id ([0-9]+)/.exec(out)![1],
      changes: [{ key: 'name', old: null, new: 'Den' }],
    },
    { action: 'house_exported', actor: null, target_type: 'house', target_id: den.id, changes: [] },
  ])
})

test('what commands do is in the audit log, without an actor', async () => {
  const ruler = await admin()
  const ann = await user()
  const words = [
    ['disable-user', ann.id],
    ['enable-user', ann.id],
    ['enable-user', ann.id],
    ['end-sessions', ann.id],
    ['issue-code', 'reset-password', ann.id],
    ['reset-password', ann.id, '--password', 'a new password'],
    ['delete-user', ann.id, '--yes'],
  ]
  for (const each of words) expect((await hearth(...each)).code).toBe(0)
  const { body } = await call(ruler, 'GET', '/admin/audit-log')
  const own = body.data.filter(({ target_id }: { target_id: string }) => target_id === ann.id)
  expect(own.map((each: { action: string; actor: object | null }) => [each.action, each.actor])).toEqual([
    ['user_deleted', null],
    ['password_reset', null],
    ['code_issued', null],
    ['user_sessions_ended', null],
    ['user_edited', null],
    ['user_edited', null],
  ])
})
