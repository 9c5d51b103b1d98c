import { sql } from 'kysely'
import type { Db } from '../database/client.ts'
import { ApiError } from '../errors.ts'
import type { Store } from './store.ts'

/*
 * `discarded_files` lists the files to be erased, so that a crash leaves no orphans and no used file is lost:
 * - before a file is written it is listed, due after `unfinishedMs`;
 * - the transaction whose row names it removes it from the list;
 * - the transaction that ends its use lists it again, due at once.
 * A file whose transaction never committed is therefore erased like one that was replaced.
 */

/** How long a file may stay in the store without a row that names it, since its last renewal. */
const unfinishedMs = 3_600_000
const renewEveryMs = unfinishedMs / 4
const eraseBatchSize = 100

/** By the clock of the database, which also says when files are due. */
const whenUnfinished = sql<Date>`now() + ${sql.lit(unfinishedMs)} * interval '1 millisecond'`

/**
 * Writes a file that a later `cancelDiscard` puts to use; `db` is no transaction. However long the writing takes, the
 * file is not erased meanwhile. Throws `StoreUnavailable` where the disk is nearly full.
 */
export async function saveFile(
  db: Db,
  store: Store,
  name: string,
  content: Parameters<Store['write']>[1],
): Promise<void> {
  await store.checkSpace()
  await sql`
    insert into discarded_files (name, discarded_at) values (${name}, ${whenUnfinished})
    on conflict (name) do update set discarded_at = excluded.discarded_at`.execute(db)
  // A failed renewal is repeated with the next one.
  const renewing = setInterval(() => void renew(db, name).catch(() => {}), renewEveryMs)
  try {
    await store.write(name, content)
  } finally {
    clearInterval(renewing)
  }
}

/** Renews a saved file before it is put to use. Throws `unavailable` if it has been erased. */
export async function renewFile(db: Db, name: string): Promise<void> {
  if (!(await renew(db, name))) throw new ApiError('unavailable')
}

/** Updates only: a file that is not listed may be in use by now. Returns whether it is listed. */
async function renew(db: Db, name: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('discarded_files')
    .set({ discarded_at: whenUnfinished })
    .where('name', '=', name)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Puts saved files to use, inside the transaction whose rows name them. Throws `unavailable` if one has been erased
 * in the meantime.
 */
export async function cancelDiscard(trx: Db, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const { numDeletedRows } = await deleteFromList(trx, names)
  if (numDeletedRows < new Set(names).size) throw new ApiError('unavailable')
}

/** Lists files to be erased after the commit, inside the transaction that ends their use. */
export async function discardFiles(trx: Db, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await sql`
    insert into discarded_files (name) select unnest(${names}::text[]) on conflict (name) do nothing`.execute(
    trx,
  )
}

/** The same for files that may be listed with a later date. */
export async function discardFilesAtOnce(trx: Db, names: readonly string[]): Promise<void> {
  await sql`
    insert into discarded_files (name) select unnest(${names}::text[])
    on conflict (name) do update set discarded_at = now()`.execute(trx)
}

/**
 * Erases the files that are due and that no row names any more, a hundred at most; several processes may do so at
 * once. Returns as `eraseFiles`.
 */
export async function eraseDiscarded(db: Db, store: Store): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const names = await lockDueFiles(trx)
    return eraseFiles(trx, store, names, await listUsedFiles(trx, names))
  })
}

/**
 * Erases listed files, except those that are `used` after all, and takes them off the list. Returns how many were taken
 * off: a file that the store fails to remove stays listed, behind all others.
 */
export async function eraseFiles(
  db: Db,
  store: Store,
  names: readonly string[],
  used: ReadonlySet<string> = new Set(),
): Promise<number> {
  if (names.length === 0) return 0
  const attempts = await Promise.allSettled(names.map((name) => used.has(name) || store.remove(name)))
  const done = names.filter((_name, index) => attempts[index]!.status === 'fulfilled')
  await deleteFromList(db, done)
  if (done.length < names.length) {
    await sql`update discarded_files set discarded_at = now() where name = any(${names}::text[])`.execute(db)
  }
  return done.length
}

function deleteFromList(db: Db, names: readonly string[]) {
  return db
    .deleteFrom('discarded_files')
    .where('name', '=', sql<string>`any(${names}::text[])`)
    .executeTakeFirst()
}

async function lockDueFiles(trx: Db): Promise<string[]> {
  const rows = await trx
    .selectFrom('discarded_files')
    .select('name')
    .where('discarded_at', '<=', sql<Date>`now()`)
    .orderBy('discarded_at')
    .limit(eraseBatchSize)
    .forUpdate()
    .skipLocked()
    .execute()
  return rows.map((row) => row.name)
}

/** The present pictures of the owners of these files. Attachments are under ids that no message gets again. */
async function listUsedFiles(trx: Db, names: readonly string[]): Promise<Set<string>> {
  const owners = names.flatMap((name) => /^(?:users|houses)\/([0-9]+)\//.exec(name)?.[1] ?? [])
  if (owners.length === 0) return new Set()
  const { rows } = await sql<{ name: string }>`
    select 'users/' || id || '/icons/' || icon as name from users where id = any(${owners}::bigint[])
    union all select 'users/' || id || '/headers/' || header from users where id = any(${owners}::bigint[])
    union all select 'houses/' || id || '/icons/' || icon from houses where id = any(${owners}::bigint[])`.execute(
    trx,
  )
  return new Set(rows.map((row) => row.name))
}
