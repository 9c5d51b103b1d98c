import { sql } from 'kysely'
import { type Caller, isIdle, ownerId } from '../auth/queries.ts'
import { coalesce, groupByPlace } from '../database/batching/coalesce.ts'
import { byteaArray, prepareRead } from '../database/batching/reads.ts'
import type { Db } from '../database/client.ts'
import { type GatewayUserRow, gatewayUserSelection } from '../users/queries.ts'
import { type RoomAccessRow, roomAccessColumns, roomAccessJoins } from './queries.ts'

/** The caller, what a message shows of them in a room, and their access to it. */
export type CallerInRoomRow = {
  caller: Caller
  user: GatewayUserRow
  /** When they joined the house or the private room; null if they are in neither. */
  joined_at: Date | null
  last_permission_update: Date | null
  /** Null if there is no such room. */
  access: RoomAccessRow | null
}

type FlatRow = Omit<RoomAccessRow, 'room_id'> &
  GatewayUserRow & {
    room_id: string | null
    owner_id: string
    session_id: string
    is_idle: boolean
    joined_at: Date | null
    last_permission_update: Date | null
    place: string
  }

const readCallersInRooms = prepareRead(({ hashes, rooms }: { hashes: string; rooms: string[] }) => {
  return sql<FlatRow>`
    select ${gatewayUserSelection}, ${ownerId} as owner_id, wanted.session_id, wanted.is_idle, wanted.place,
      coalesce(members.joined_at, room_recipients.joined_at) as joined_at, members.last_permission_update,
      ${roomAccessColumns}
    from (
      select asked.room_id, sessions.user_id, sessions.id as session_id, ${isIdle} as is_idle, place
      from unnest(${hashes}::bytea[], ${rooms}::bigint[]) with ordinality as asked (token_hash, room_id, place)
      join sessions on sessions.token_hash = asked.token_hash
    ) as wanted
    join users on users.id = wanted.user_id and users.deleted_at is null and not users.disabled
    ${roomAccessJoins}`
})

/** The caller with a token hash (hex), in a room; undefined for an unknown hash. */
export const findCallerInRoom = coalesce<
  { token_hash: string; room_id: string },
  CallerInRoomRow | undefined
>(async (db: Db, keys) => {
  const hashes = byteaArray(keys.map((key) => key.token_hash))
  const rows = await readCallersInRooms(db, { hashes, rooms: keys.map((key) => key.room_id) })
  return groupByPlace(keys.length, rows).map((row) => row && callerInRoom(row))
})

function callerInRoom(row: FlatRow): CallerInRoomRow {
  const { room_id, id, owner_id, session_id, bot, is_idle } = row
  return {
    caller: { id, owner_id, session_id, bot, is_idle },
    user: row,
    joined_at: row.joined_at,
    last_permission_update: row.last_permission_update,
    access: room_id === null ? null : (row as RoomAccessRow),
  }
}
