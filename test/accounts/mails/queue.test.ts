import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { insertMail } from '../../../src/accounts/mails/queries.ts'
import { resident } from '../../support/accounts.ts'
import { atEnd } from '../../support/at-end.ts'
import { otherApp } from '../../support/other-app.ts'
import { ownWorld } from '../../support/own-world.ts'
import { codeIn, smtpServer } from '../../support/smtp.ts'
import { call, db, user } from '../../support/world.ts'

await ownWorld()

/** A mail server that nobody runs. */
const smtpUrl = 'smtp://127.0.0.1:1'

/** The mails that wait for an account: their kinds, and how often they were tried. */
function mailsOf({ id }: { id: string }) {
  return db.selectFrom('mails').select(['kind', 'attempts']).where('user_id', '=', id).execute()
}

/** Lets the time pass that a mail has to wait for, and more of its hour. */
async function letPass(minutes: number, { id }: { id: string }): Promise<void> {
  await sql`
    update mails set due_at = now(), requested_at = requested_at - ${minutes} * interval '1 minute'
    where user_id = ${id}`.execute(db)
}

/** Whether the first attempt to send a mail of an account is over: the mail waits for less than its lease. */
async function isPutOff({ id }: { id: string }): Promise<boolean> {
  const rows = await db
    .selectFrom('mails')
    .select('attempts')
    .where('user_id', '=', id)
    .where('due_at', '<', sql<Date>`now() + interval '1 minute'`)
    .execute()
  return rows.length === 1 && rows[0]!.attempts === 1
}

/** Requests a code for a new password while the mail server is away. */
async function requestInVain(begin: string) {
  const person = await resident(begin)
  const away = await otherApp({ smtpUrl })
  await away.call(null, 'POST', '/auth/forgot-password', { email: person.email })
  await expect.poll(() => isPutOff(person)).toBe(true)
  return { person, away }
}

async function withServer(options?: Parameters<typeof smtpServer>[0]) {
  const smtp = await smtpServer(options)
  atEnd(smtp.close)
  const { app } = await otherApp({ smtpUrl: smtp.url })
  return { smtp, sendDue: () => app.mails!.sendDue() }
}

test('a mail is sent again after a restart, with a code that is valid for its full age', async () => {
  const { person, away } = await requestInVain('ann')
  await away.app.close()
  await letPass(50, person)
  const { smtp, sendDue } = await withServer()
  await sendDue()
  const code = codeIn(await smtp.next(person.email))
  expect(await mailsOf(person)).toEqual([])
  const { expires_at } = await db
    .selectFrom('account_codes')
    .select('expires_at')
    .where('user_id', '=', person.id)
    .executeTakeFirstOrThrow()
  expect(expires_at.getTime() - Date.now()).toBeGreaterThan(55 * 60_000)
  const reset = { code, password: 'a new password' }
  expect((await call(null, 'POST', '/auth/reset-password', reset)).status).toBe(200)
})

test('a mail waits before it is tried again, and is given up after an hour', async () => {
  const { person, away } = await requestInVain('bob')
  const sendDue = () => away.app.mails!.sendDue()
  await sendDue()
  expect(await mailsOf(person)).toEqual([{ kind: 'reset_password', attempts: 1 }])
  await letPass(30, person)
  await sendDue()
  expect(await mailsOf(person)).toEqual([{ kind: 'reset_password', attempts: 2 }])
  await letPass(30, person)
  await sendDue()
  expect(await mailsOf(person)).toEqual([])
})

test('a mail that the mail server refuses is not sent again', async () => {
  const { person } = await requestInVain('cem')
  await letPass(0, person)
  const { sendDue } = await withServer({ toRecipients: '550 no such user' })
  await sendDue()
  expect(await mailsOf(person)).toEqual([])
})

test('a mail is not sent once its code is used or cancelled', async () => {
  const { person } = await requestInVain('dan')
  await db.deleteFrom('account_codes').where('user_id', '=', person.id).execute()
  await letPass(0, person)
  const { smtp, sendDue } = await withServer()
  await sendDue()
  expect([await mailsOf(person), smtp.mails]).toEqual([[], []])
})

test('one mail of a kind waits for an address, ten for an account, and ten thousand in all', async () => {
  const [ann, bob] = [await user(), await user()]
  const add = (person: { id: string }, n: number) =>
    insertMail(db, { user_id: person.id, kind: 'verify_email', email: `${n}@example.org` })
  for (let n = 0; n < 10; n += 1)
    expect([await add(ann, n), n < 9 && (await add(ann, n))]).toEqual([true, n < 9])
  expect(await add(ann, 10)).toBe(false)
  expect(await mailsOf(ann)).toHaveLength(10)
  expect(await add(bob, 0)).toBe(true)
  await sql`
    insert into mails (user_id, kind, email, due_at)
    select ${ann.id}, 'verify_email', 'more' || n, now() from generate_series(1, 9989) n`.execute(db)
  expect(await add(bob, 1)).toBe(false)
  await db.deleteFrom('mails').where('user_id', '=', ann.id).execute()
  expect(await add(bob, 1)).toBe(true)
})

test('mails of one account, however many, delay those of another by few', async () => {
  const smtp = await smtpServer()
  atEnd(smtp.close)
  const { app } = await otherApp({ smtpUrl: smtp.url })
  const [fay, gus] = [await resident('fay'), await resident('gus')]
  for (let n = 0; n < 10; n += 1) {
    app.mails!.send({ user_id: fay.id, kind: 'password_changed', email: `${n}.${fay.email}` })
  }
  app.mails!.send({ user_id: gus.id, kind: 'password_changed', email: gus.email })
  await smtp.next(gus.email)
  expect(smtp.mails.length).toBeLessThan(8)
})

test('the deletion of an account deletes its mails', async () => {
  const { person } = await requestInVain('eve')
  const fields = { password: 'correct horse' }
  expect((await call(person, 'DELETE', '/users/@me', fields)).status).toBeLessThan(300)
  expect(await mailsOf(person)).toEqual([])
})
