import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { coalesce } from '../db/coalesce.ts'
import type { GatewayUserRow } from '../users/queries.ts'

/** A member with their user and the ids of their roles, highest first. */
export type MemberRow = {
  house_id: string
  user_id: string
  joined_at: Date
  last_permission_update: Date | null
  role_ids: string[]
  user: GatewayUserRow
}

/** The columns of a `MemberRow`, over `members` joined with `users`. */
export const memberColumns = sql`
  members.house_id, members.user_id, members.joined_at, members.last_permission_update,
  array(select roles.id::text from member_roles join roles on roles.id = member_roles.role_id
    where member_roles.house_id = members.house_id and member_roles.user_id = members.user_id
    order by roles.position desc, roles.id) as role_ids,
  json_build_object('id', users.id::text, 'username', users.username, 'name', users.name, 'icon', users.icon,
    'header', users.header, 'flags', users.flags, 'bot', users.bot, 'bio', users.bio, 'website', users.website,
    'location', users.location) as "user"`

/** A member of a house, or undefined. */
export const findMember = coalesce<{ house_id: string; user_id: string }, MemberRow | undefined>(
  async (db: Db, keys) => {
    const houses = keys.map((key) => key.house_id)
    const users = keys.map((key) => key.user_id)
    const { rows } = await sql<MemberRow & { place: string }>`
      select wanted.place, ${memberColumns}
      from unnest(${houses}::bigint[], ${users}::bigint[]) with ordinality as wanted (house_id, user_id, place)
      join members on members.house_id = wanted.house_id and members.user_id = wanted.user_id
      join users on users.id = members.user_id`.execute(db)
    const byPlace = new Map(rows.map(({ place, ...row }) => [place, row]))
    return keys.map((_key, index) => byPlace.get(String(index + 1)))
  },
)
