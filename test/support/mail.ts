import { expect } from 'vitest'
import type { Config } from '../../src/config.ts'
import { password } from './accounts.ts'
import { atEnd } from './at-end.ts'
import { otherApp } from './other-app.ts'
import { codeIn, smtpServer } from './smtp.ts'
import { db, type Person, uniqueName } from './world.ts'

/** An app on the same world that sends its mail to `smtp`, and how to register there. */
export async function mailingApp(changes: Partial<Config> = {}) {
  const smtp = await smtpServer()
  const mailing = await otherApp({ smtpUrl: smtp.url, ...changes })
  atEnd(smtp.close)

  /** Registers an account whose username begins with this one, and takes the code out of its mail. */
  async function registered(begin: string): Promise<Person & { email: string; code: string }> {
    const username = uniqueName(begin)
    const email = `${username}@example.org`
    const answer = await mailing.call(null, 'POST', '/auth/register', { email, username, password })
    const { token, user: made } = answer.body.data
    const mail = await smtp.next(email)
    expect(mail.from).toContain('hearth@hearth.test')
    return { id: made.id, username, email, token, session_id: '', code: codeIn(mail) }
  }
  return { smtp, mailing, registered }
}

/** Asserts how long the only code of a user is valid; `madeAfter`: a time before it was made, in ms since 1970. */
export async function expectLifetime({ id }: { id: string }, minutes: number, madeAfter: number) {
  const { expires_at } = await db
    .selectFrom('account_codes')
    .select('expires_at')
    .where('user_id', '=', id)
    .executeTakeFirstOrThrow()
  const madeAt = expires_at.getTime() - minutes * 60_000
  expect(madeAt).toBeGreaterThanOrEqual(madeAfter)
  expect(madeAt).toBeLessThanOrEqual(Date.now())
}

/** The stored codes of a user, by purpose. */
export async function codesOf({ id }: { id: string }): Promise<string[]> {
  const rows = await db.selectFrom('account_codes').select('purpose').where('user_id', '=', id).execute()
  return rows.map((row) => row.purpose).sort()
}
