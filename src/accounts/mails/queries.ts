import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

/** A waiting mail. There is at most one of each kind for each address. */
export type MailKey = { user_id: string; kind: string; email: string }
/** A mail that a process sends; `attempts` counts this one. `requested_at` is a text, as a Date has no microseconds. */
export type LeasedMail = MailKey & { requested_at: string; attempts: number }

/** Mails that wait, of an account and in all. */
const maxOfAccount = 10
const maxWaiting = 10_000
/** How long a mail is sent again. */
export const sentAgainMs = 3_600_000
/** How long the process that has inserted a mail has it for itself. */
const headStartMs = 5_000
/** A process that has not sent a mail after this time has died; the steps of sending one time out sooner. */
const leaseMs = 120_000

const inMs = (ms: number) => sql<Date>`now() + ${ms} * interval '1 millisecond'`

/** Adds a mail, or lets the equal one begin anew. Returns whether there was room for it. */
export async function insertMail(
  db: Db,
  { user_id, kind, email }: MailKey,
  dueInMs = headStartMs,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into mails (user_id, kind, email, due_at)
    select ${user_id}, ${kind}, ${email}, ${inMs(dueInMs)}
    where (select count(*) from mails where user_id = ${user_id}) < ${maxOfAccount}
      and (select count(*) from (select from mails limit ${maxWaiting}) as waiting) < ${maxWaiting}
    on conflict (user_id, kind, email) do update
      set requested_at = now(), due_at = excluded.due_at, attempts = 0`.execute(db)
  return numAffectedRows !== undefined && numAffectedRows > 0n
}

/** Leases a new mail; undefined if another process has tried to send it. */
export async function leaseNewMail(db: Db, mail: MailKey): Promise<LeasedMail | undefined> {
  const { rows } = await sql<LeasedMail>`
    update mails set due_at = ${inMs(leaseMs)}, attempts = 1
    where user_id = ${mail.user_id} and kind = ${mail.kind} and email = ${mail.email} and attempts = 0
    returning user_id, kind, email, requested_at::text, attempts`.execute(db)
  return rows[0]
}

/** Leases mails that are due, those that are due the longest first. */
export async function leaseDueMails(db: Db, limit: number): Promise<LeasedMail[]> {
  const { rows } = await sql<LeasedMail>`
    update mails set due_at = ${inMs(leaseMs)}, attempts = attempts + 1
    where (user_id, kind, email) in (
      select user_id, kind, email from mails where due_at <= now() order by due_at limit ${limit} for update skip locked
    ) returning user_id, kind, email, requested_at::text, attempts`.execute(db)
  return rows
}

/** Puts a mail off, unless it was requested again meanwhile, or would be too old then. Returns whether it still waits. */
export async function postponeMail(db: Db, mail: LeasedMail, ms: number): Promise<boolean> {
  const { rows } = await sql`
    update mails set due_at = ${inMs(ms)}
    where user_id = ${mail.user_id} and kind = ${mail.kind} and email = ${mail.email}
      and requested_at = ${mail.requested_at}::timestamptz
      and ${inMs(ms)} < requested_at + ${sentAgainMs} * interval '1 millisecond'
    returning user_id`.execute(db)
  return rows.length > 0
}

/** Removes a mail, unless it was requested again meanwhile. */
export async function deleteMail(db: Db, mail: LeasedMail): Promise<void> {
  await db
    .deleteFrom('mails')
    .where('user_id', '=', mail.user_id)
    .where('kind', '=', mail.kind)
    .where('email', '=', mail.email)
    .where('requested_at', '=', sql<Date>`${mail.requested_at}::timestamptz`)
    .execute()
}

/** How many mails wait for a further attempt, and since when the oldest. */
export async function describeWaitingMails(db: Db): Promise<{ count: number; oldest: Date | null }> {
  const { rows } = await sql<{ count: number; oldest: Date | null }>`
    select count(*)::integer as count, min(requested_at) as oldest from mails where attempts > 0`.execute(db)
  return rows[0]!
}
