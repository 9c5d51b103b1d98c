import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import type { Store } from './store.ts'

/*
 * How no crash leaves a file behind, and no file goes that is in use: the name is listed in `discarded_files` before
 * the file is written, to be erased after `unfinishedMs`; the transaction that puts the file to use takes it off the
 * list; the transaction that ends its use puts it back, to be erased at once. A file whose transaction never came is
 * so erased like one that was replaced.
 */

/** How long a file may lie in the store, or grow there with nothing heard of it, before a transaction puts it to use. */
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
  // What cannot be renewed now is so the next time.
  const renewing = setInterval(() => void renew(db, name).catch(() => {}), renewEveryMs)
  try {
    await store.write(name, content)
  } finally {
    clearInterval(renewing)
  }
}

/** Gives a saved file its whole time again, before it is put to use. Throws `unavailable` if it has been erased. */
export async function holdFile(db: Db, name: string): Promise<void> {
  if (!(await renew(db, name))) throw new ApiError('unavailable')
}

/** Never lists what is not listed: the file may be in use by now. */
async function renew(db: Db, name: string): Promise<boolean> {
  const renewed = await db
    .updateTable('discarded_files')
    .set({ discarded_at: whenUnfinished() })
    .where('name', '=', name)
    .returning('name')
    .executeTakeFirst()
  return renewed !== undefined
}

/** By the clock that says when they are due. */
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
 * once. Gives how many names it has dealt with. A file that the store does not let go of stays listed.
 */
export async function eraseDiscarded(db: Db, store: Store): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const names = await lockDueFiles(trx)
    const used = await listUsedFiles(trx, names)
    const attempts = await Promise.allSettled(names.map((name) => used.has(name) || store.remove(name)))
    const done = names.filter((_name, index) => attempts[index]!.status === 'fulfilled')
    if (done.length > 0) await trx.deleteFrom('discarded_files').where('name', 'in', done).execute()
    return done.length
  })
}

async function lockDueFiles(trx: Db): Promise<string[]> {
  const rows = await trx
    .selectFrom('discarded_files')
    .select('name')
    .where('discarded_at', '<=', sql<Date>`now()`)
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
