import { sql } from 'kysely'
import { afterAll, expect } from 'vitest'
import { password } from './accounts.ts'
import { otherApp } from './other-app.ts'
import { codeIn, smtpServer } from './smtp.ts'
import { db, type Person } from './world.ts'

export const smtp = await smtpServer()
/** The app on the same world, with mail configured. */
export const mailing = await otherApp({ smtpUrl: smtp.url })
afterAll(() => smtp.close())

/** Registers an account by the app that mails, and takes the code out of its mail. */
export async function registered(username: string): Promise<Person & { code: string }> {
  const fields = { email: `${username}@example.org`, username, password }
  const { token, user: made } = (await mailing.call(null, 'POST', '/auth/register', fields)).body.data
  const mail = await smtp.next()
  expect(mail.to).toEqual([fields.email])
  expect(mail.from).toContain('hearth@hearth.test')
  return { id: made.id, username, token, session_id: '', code: codeIn(mail) }
}

/** The lifetime of the only code of a user, in minutes. */
export async function minutesLeft({ id }: { id: string }): Promise<number> {
  const { rows } = await sql<{ minutes: number }>`
    select round(extract(epoch from expires_at - now()) / 60)::int as minutes
    from account_codes where user_id = ${id}`.execute(db)
  return rows[0]!.minutes
}

/** The stored codes of a user, by purpose. */
export async function codesOf({ id }: { id: string }): Promise<string[]> {
  const rows = await db.selectFrom('account_codes').select('purpose').where('user_id', '=', id).execute()
  return rows.map((row) => row.purpose).sort()
}
