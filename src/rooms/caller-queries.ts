import { sql } from 'kysely'
import { type Caller, isIdle } from '../auth/queries.ts'
import { byteaLiterals } from '../db/bytea.ts'
import type { Db } from '../db/client.ts'
import { coalesce } from '../db/coalesce.ts'
import type { GatewayUserRow } from '../users/queries.ts'
import { type RoomAccessRow, selectRoomAccess } from './queries.ts'

/** Who is calling, as what they appear in a room, and what decides over them there. */
export type CallerInRoomRow = {
  caller: Caller
  user: GatewayUserRow
  /** When they entered the house or the private room; null when they are not there. */
  joined_at: Date | null
  last_permission_update: Date | null
  /** Null when there is no such room. */
  access: RoomAccessRow | null
}

type FlatRow = Omit<RoomAccessRow, 'room_id'> &
  GatewayUserRow & {
    room_id: string | null
    session_id: string
    is_idle: boolean
    joined_at: Date | null
    last_permission_update: Date | null
    place: string
  }

/** Who a token hash (hex) belongs to, and what they may in a room; undefined when it belongs to nobody. */
export const findCallerInRoom = coalesce<
  { token_hash: string; room_id: string },
  CallerInRoomRow | undefined
>(async (db: Db, keys) => {
  const hashes = byteaLiterals(keys.map((key) => key.token_hash))
  const rooms = keys.map((key) => key.room_id)
  const { rows } = await sql<FlatRow>`
    with wanted as materialized (
      select room_id, sessions.user_id, sessions.id as session_id, ${isIdle} as is_idle, place
      from unnest(${hashes}::bytea[], ${rooms}::bigint[]) with ordinality as asked (token_hash, room_id, place)
      join sessions on sessions.token_hash = asked.token_hash
    )
    select users.id, username, users.name, icon, header, flags, bot, bio, website, location, session_id, is_idle,
      coalesce(members.joined_at, room_recipients.joined_at) as joined_at, members.last_permission_update,
      access.room_id, access.type, access.group_owner_id, access.default_allow, access.default_deny,
      access.permission_overrides, access.last_message_id, wanted.user_id, access.is_inside, access.house_id,
      access.house_owner_id, access.default_permissions, access.roles, access.is_cut_off, wanted.place
    from wanted
    join users on users.id = wanted.user_id and users.deleted_at is null
    left join (${selectRoomAccess(sql`wanted`)}) as access on access.place = wanted.place
    left join members on members.house_id = access.house_id and members.user_id = wanted.user_id
    left join room_recipients on room_recipients.room_id = access.room_id and room_recipients.user_id = wanted.user_id
  `.execute(db)
  const byPlace = new Map(rows.map((row) => [Number(row.place), callerInRoom(row)]))
  return keys.map((_key, index) => byPlace.get(index + 1))
})

function callerInRoom(row: FlatRow): CallerInRoomRow {
  const { room_id } = row
  return {
    caller: { id: row.id, session_id: row.session_id, bot: row.bot, is_idle: row.is_idle },
    user: row,
    joined_at: row.joined_at,
    last_permission_update: row.last_permission_update,
    access: room_id === null ? null : { ...row, room_id },
  }
}
