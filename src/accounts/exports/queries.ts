import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

export type ExportRow = { key: string; progress: number; expires_at: Date | null }
/** An export that a process makes. */
export type LeasedExport = { user_id: string; key: string }

const leaseSeconds = 60
const maxAttempts = 3
const lease = sql<Date>`now() + ${sql.lit(leaseSeconds)} * interval '1 second'`
const keptHours = 24

/** Where an export is in the store. */
export function exportFile({ user_id, key }: LeasedExport): string {
  return `exports/${user_id}/${key}.zip`
}

/** The export of a user, or undefined; one that has expired counts as none. */
export function findExport(db: Db, userId: string): Promise<ExportRow | undefined> {
  return db
    .selectFrom('exports')
    .select(['key', 'progress', 'expires_at'])
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))
    .executeTakeFirst()
}

/** Asks for an export, in place of an earlier one. */
export async function upsertExport(db: Db, wanted: LeasedExport): Promise<void> {
  await sql`
    insert into exports (user_id, key) values (${wanted.user_id}, ${wanted.key})
    on conflict (user_id) do update set key = excluded.key, requested_at = now(), leased_until = null,
      attempts = 0, progress = 0, expires_at = null`.execute(db)
}

/** Removes the export of a user. Returns its key. */
export async function deleteExport(db: Db, userId: string): Promise<string | undefined> {
  const row = await db.deleteFrom('exports').where('user_id', '=', userId).returning('key').executeTakeFirst()
  return row?.key
}

/** The export that has waited the longest, leased to the process that asks; undefined where none waits. */
export async function leaseExport(db: Db): Promise<LeasedExport | undefined> {
  const { rows } = await sql<LeasedExport>`
    update exports set leased_until = ${lease}, attempts = attempts + 1, progress = 0
    where user_id = (
      select user_id from exports
      where expires_at is null and attempts < ${maxAttempts} and (leased_until is null or leased_until < now())
      order by requested_at limit 1 for update skip locked
    ) returning user_id, key`.execute(db)
  return rows[0]
}

/** Notes how far an export is. Returns whether it is still wanted. */
export async function renewExport(
  db: Db,
  { user_id, key }: LeasedExport,
  progress: number,
): Promise<boolean> {
  const row = await db
    .updateTable('exports')
    .set({ leased_until: lease, progress })
    .where('user_id', '=', user_id)
    .where('key', '=', key)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Gives a lease up: the export is made later, unless that has failed too often. */
export async function releaseExport(db: Db, { user_id, key }: LeasedExport, counts: boolean): Promise<void> {
  await sql`
    update exports set leased_until = ${counts ? lease : null}, attempts = attempts - ${counts ? 0 : 1}
    where user_id = ${user_id} and key = ${key}`.execute(db)
}

/** An export is ready: its file, which is listed as discarded, is erased when it expires. Returns whether it is wanted. */
export async function finishExport(db: Db, wanted: LeasedExport): Promise<boolean> {
  const { rows } = await sql`
    with ready as (
      update exports set progress = 100, leased_until = null,
        expires_at = now() + ${sql.lit(keptHours)} * interval '1 hour'
      where user_id = ${wanted.user_id} and key = ${wanted.key} returning expires_at
    )
    update discarded_files set discarded_at = ready.expires_at from ready
    where name = ${exportFile(wanted)} returning name`.execute(db)
  return rows.length > 0
}

/** Forgets the exports that have expired, and those that cannot be made. */
export async function deleteEndedExports(db: Db): Promise<void> {
  await sql`
    delete from exports
    where expires_at < now()
      or (expires_at is null and attempts >= ${maxAttempts} and leased_until < now())`.execute(db)
}
