import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
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
const erasedAtOnce = 100

/**
 * Writes a file that a later `keepFiles` puts to use; `db` is no transaction. However long the writing takes, the file
 * is not erased meanwhile.
 */
export async function saveFile(
  db: Db,
  store: Store,
  name: string,
  content: Parameters<Store['write']>[1],
  renewEveryMs = unfinishedMs / 4,
): Promise<void> {
  await db
    .insertInto('discarded_files')
    .values({ name, discarded_at: whenUnfinished() })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({ discarded_at: eb.ref('excluded.discarded_at') })),
    )
    .execute()
  // A failed renewal is repeated with the next one.
  const renewing = setInterval(() => void renew(db, name).catch(() => {}), renewEveryMs)
  try {
    await store.write(name, content)
  } finally {
    clearInterval(renewing)
  }
}

/** Renews a saved file before it is put to use. Throws `unavailable` if it has been erased. */
export async function holdFile(db: Db, name: string): Promise<void> {
  if (!(await renew(db, name))) throw new ApiError('unavailable')
}

/** Updates only: a file that is not listed may be in use by now. */
async function renew(db: Db, name: string): Promise<boolean> {
  const renewed = await db
    .updateTable('discarded_files')
    .set({ discarded_at: whenUnfinished() })
    .where('name', '=', name)
    .returning('name')
    .executeTakeFirst()
  return renewed !== undefined
}

/** By the clock of the database, which also says when files are due. */
function whenUnfinished() {
  return sql<Date>`now() + ${unfinishedMs} * interval '1 millisecond'`
}

/**
 * Puts saved files to use, inside the transaction whose rows name them. Throws `unavailable` if one has been erased
 * in the meantime.
 */
export async function keepFiles(trx: Db, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const kept = await trx.deleteFrom('discarded_files').where('name', 'in', names).returning('name').execute()
  if (kept.length < new Set(names).size) throw new ApiError('unavailable')
}

/** Lists files to be erased after the commit, inside the transaction that ends their use. */
export async function discardFiles(trx: Db, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await trx
    .insertInto('discarded_files')
    .values(names.map((name) => ({ name })))
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/**
 * Erases the files that are due and that no row names any more, a hundred at most; several processes may do so at
 * once. Returns as `eraseFiles`.
 */
export async function eraseDiscarded(db: Db, store: Store): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const names = await lockDueFiles(trx)
    const used = await listUsedFiles(trx, names)
    return eraseFiles(trx, store, names, used)
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
  const attempts = await Promise.allSettled(names.map((name) => used.has(name) || store.remove(name)))
  const done = names.filter((_name, index) => attempts[index]!.status === 'fulfilled')
  if (done.length > 0) await db.deleteFrom('discarded_files').where('name', 'in', done).execute()
  const refused = names.filter((_name, index) => attempts[index]!.status === 'rejected')
  if (refused.length > 0) {
    await db
      .updateTable('discarded_files')
      .set({ discarded_at: sql<Date>`now()` })
      .where('name', 'in', refused)
      .execute()
  }
  return done.length
}

async function lockDueFiles(trx: Db): Promise<string[]> {
  const rows = await trx
    .selectFrom('discarded_files')
    .select('name')
    .where('discarded_at', '<=', sql<Date>`now()`)
    .orderBy('discarded_at')
    .limit(erasedAtOnce)
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
