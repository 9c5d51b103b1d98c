import { sql } from 'kysely'
import { prepareRead } from '../../database/batching/reads.ts'
import { type Db, isDistributed } from '../../database/client.ts'
import { notExpired } from '../queries.ts'

type NewestRow = { room_id: string; id: string }

const readNewest = prepareRead(
  ({ ids }: { ids: readonly string[] }) => sql<NewestRow>`
    select room_id, newest.id from unnest(${ids}::bigint[]) as wanted (room_id) cross join lateral (
      select id from messages where messages.room_id = wanted.room_id and ${notExpired} order by id desc limit 1
    ) as newest`,
)

// Citus knows no query for each of several rooms.
const readNewestInRoom = prepareRead(
  ({ id }: { id: string }) => sql<NewestRow>`
    select room_id, id from messages where room_id = ${id} and ${notExpired} order by id desc limit 1`,
)

/** The newest message that is left in each of these rooms. Rooms without messages are missing. */
export async function listNewestMessageIds(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = isDistributed(db)
    ? (await Promise.all(ids.map((id) => readNewestInRoom(db, { id })))).flat()
    : await readNewest(db, { ids })
  return new Map(rows.map((row) => [row.room_id, row.id]))
}
