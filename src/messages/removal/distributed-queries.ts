// What Citus cannot do in one statement: rows are locked on one shard at a time, so these go room by room.
import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

type LockedRow = { room_id: string; house_id: string | null; id: string }

const rowColumns = sql`messages.room_id, messages.house_id, messages.id`

/** Some messages of a room: the oldest, `limit` at most. `skipsLocked`: without those that somebody else has locked. */
type Wanted = { room_id: string; condition: ReturnType<typeof sql>; limit: number; skipsLocked: boolean }

async function lockInRoom(db: Db, { room_id, condition, limit, skipsLocked }: Wanted): Promise<LockedRow[]> {
  const { rows } = await sql<LockedRow>`
    select ${rowColumns} from messages where room_id = ${room_id} and ${condition}
    order by id limit ${limit} for update ${skipsLocked ? sql`skip locked` : sql``}`.execute(db)
  return rows
}

/** Locks messages of rooms that meet the condition of their room, room after room, `limit` in all. */
export async function lockInEachRoom(
  db: Db,
  rooms: readonly Pick<Wanted, 'room_id' | 'condition'>[],
  { limit, skipsLocked }: { limit: number; skipsLocked: boolean },
): Promise<LockedRow[]> {
  const locked: LockedRow[] = []
  for (const room of rooms) {
    locked.push(...(await lockInRoom(db, { ...room, limit: limit - locked.length, skipsLocked })))
    if (locked.length === limit) break
  }
  return locked
}

/** The rooms of the messages that expired first, with the condition for those messages. */
export async function listRoomsOfExploded(
  db: Db,
  limit: number,
): Promise<Pick<Wanted, 'room_id' | 'condition'>[]> {
  const { rows } = await sql<{ room_id: string; ids: string[] }>`
    select room_id, array_agg(id) as ids from (
      select room_id, id from messages where expires_at <= now() order by expires_at limit ${limit}
    ) as exploded group by room_id order by room_id`.execute(db)
  return rows.map(({ room_id, ids }) => ({ room_id, condition: sql`id = any(${ids}::bigint[])` }))
}

/** By table of what users have of rooms, the column that its key has beside the user. */
const keyColumns = { mentions: 'message_id', read_states: 'room_id' }

/** Deletes the first mentions, or read states, of rooms, `limit` at most, and returns how many. */
export async function deleteUserRowsIn(
  db: Db,
  table: keyof typeof keyColumns,
  roomIds: readonly string[],
  limit: number,
): Promise<number> {
  const [from, key] = [sql.table(table), sql`user_id, ${sql.ref(keyColumns[table])}`]
  const { numAffectedRows } = await sql`
    delete from ${from} where (${key}) in (
      select ${key} from ${from} where room_id = any(${roomIds}::bigint[]) limit ${limit}
    )`.execute(db)
  return Number(numAffectedRows)
}

/** Deletes the heads of rooms. */
export async function deleteHeads(db: Db, roomIds: readonly string[]): Promise<void> {
  await sql`delete from room_heads where room_id = any(${roomIds}::bigint[])`.execute(db)
}
