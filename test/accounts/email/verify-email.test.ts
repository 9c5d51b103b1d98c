import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { issueCode } from '../../../src/accounts/codes/operations.ts'
import { codesOf, expectLifetime, mailingApp } from '../../support/mail.ts'
import { required, told } from '../../support/permissions.ts'
import { publishedAbout } from '../../support/published.ts'
import { invalidCode } from '../../support/two-factor.ts'
import { untilWaiting } from '../../support/waiting.ts'
import { call, db, uniqueName, user } from '../../support/world.ts'

const { registered } = await mailingApp()

const path = '/auth/verify-email'

test('registration sends a code, which verifies the address once', async () => {
  const before = Date.now()
  const ann = await registered('ann')
  await expectLifetime(ann, 24 * 60, before)
  const answer = await call(null, 'POST', path, { code: ann.code })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ success: true, data: { email_verified: true } })
  expect(publishedAbout(ann.id)).toEqual([{ type: 'user_updated', user_id: ann.id, only_self: true }])
  expect((await call(ann, 'GET', '/users/@me')).body.data.email_verified).toBe(true)
  expect(told(await call(null, 'POST', path, { code: ann.code }))).toEqual([400, invalidCode])
  expect(await codesOf(ann)).toEqual([])
})

test('a code works as somebody types it', async () => {
  const cleo = await registered('cleo')
  const typed = `${cleo.code.slice(0, 8)} ${cleo.code.slice(8).toUpperCase()}\n`
  expect((await call(null, 'POST', path, { code: typed })).status).toBe(200)
})

test('a code sent by concurrent requests verifies the address once', async () => {
  const bea = await registered('bea')
  const answers = await Promise.all([1, 2].map(() => call(null, 'POST', path, { code: bea.code })))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
})

test('the code of an address that another account has taken answers invalid_code', async () => {
  const eve = await registered('eve')
  const email = `${uniqueName('late')}@example.org`
  const { code } = await issueCode(db, eve.id, 'verify_email', email)
  await user({ email })
  expect(told(await call(null, 'POST', path, { code }))).toEqual([400, invalidCode])
})

test('an expired, wrong or reset code answers invalid_code', async () => {
  const fay = await registered('fay')
  await db
    .updateTable('account_codes')
    .set({ expires_at: new Date(0) })
    .where('user_id', '=', fay.id)
    .execute()
  const other = await issueCode(db, fay.id, 'reset_password', fay.email)
  for (const code of [fay.code, other.code, 'nonsense', '']) {
    expect(told(await call(null, 'POST', path, { code }))).toEqual([400, invalidCode])
  }
  expect((await call(fay, 'GET', '/users/@me')).body.data.email_verified).toBe(false)
})

test('a missing or non-text code answers invalid_schema', async () => {
  for (const body of [undefined, {}, { code: 5 }]) {
    expect(told(await call(null, 'POST', path, body))).toEqual([400, required('code')])
  }
})

test('a code used during the deletion of its account answers invalid_code', async () => {
  const gus = await registered('gus')
  const [proving] = await db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${gus.id} for no key update`.execute(trx)
    const proving = call(null, 'POST', path, { code: gus.code })
    await untilWaiting(1)
    await trx.deleteFrom('account_codes').where('user_id', '=', gus.id).execute()
    const deleted = { email: null, deleted_at: new Date() }
    await trx.updateTable('users').set(deleted).where('id', '=', gus.id).execute()
    return [proving]
  })
  expect(told(await proving)).toEqual([400, invalidCode])
})

test('a code requested during the deletion of the account is not stored', async () => {
  const hal = await registered('hal')
  const [issuing] = await db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${hal.id} for no key update`.execute(trx)
    await trx.deleteFrom('account_codes').where('user_id', '=', hal.id).execute()
    const issuing = issueCode(db, hal.id, 'verify_email', hal.email)
    await Promise.race([issuing, untilWaiting(1)])
    const deleted = { email: null, deleted_at: new Date() }
    await trx.updateTable('users').set(deleted).where('id', '=', hal.id).execute()
    return [issuing]
  })
  await issuing
  expect(await codesOf(hal)).toEqual([])
})
