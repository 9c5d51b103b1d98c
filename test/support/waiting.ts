import { type RawBuilder, sql } from 'kysely'
import { newId } from '../../src/ids.ts'
import { background } from './statements.ts'
import { type Answer, db, type Person } from './world.ts'

const usesCitus = process.env.TEST_DATABASE?.startsWith('citus') === true

/** What waits on a worker of Citus is no waiting for the process of the coordinator. */
const waitingStatements = usesCitus
  ? sql`select count(distinct global_pid)::int as waiting from citus_locks where not granted`
  : sql`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query !~ ${background.source}`

/** Settles when this many statements of requests wait for a lock in the test's database. */
export async function untilWaiting(count: number): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ waiting: number }>`${waitingStatements}`.execute(db)
    if (rows[0]!.waiting >= count) return
  }
}

/**
 * Makes a request that waits for a row which `lock` locks. Right after it has committed, and before it reads anything
 * more of the table, `change` happens.
 */
export async function withChangeAfter(
  ask: () => Promise<Answer>,
  table: 'settings' | 'users',
  lock: RawBuilder<unknown>,
  change: (trx: typeof db) => Promise<unknown>,
): Promise<Answer> {
  const [asking, changing] = await db.transaction().execute(async (trx) => {
    await lock.execute(trx)
    const asking = ask()
    await untilWaiting(1)
    const changing = db.transaction().execute(async (later) => {
      await sql`lock table ${sql.table(table)}`.execute(later)
      await change(later)
    })
    await untilWaiting(2)
    return [asking, changing] as const
  })
  await changing
  return asking
}

/** Makes a request that waits for a message with a file, which is being sent. Gives the answer, and the file's name. */
export async function whileFileIsSent(roomId: string, author: Person, ask: () => Promise<Answer>) {
  const row = {
    id: newId(),
    room_id: roomId,
    author_id: author.id,
    device_id: author.session_id,
    content: '',
  }
  const [asking] = await db.transaction().execute(async (trx) => {
    await sql`select from rooms where id = ${roomId} for no key update`.execute(trx)
    const attachment = JSON.stringify({ key: 'late' })
    await trx
      .insertInto('messages')
      .values({ ...row, attachment })
      .execute()
    const asking = ask()
    await untilWaiting(1)
    return [asking]
  })
  return { answer: await asking!, file: `attachments/${roomId}/late` }
}
