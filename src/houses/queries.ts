import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { coalesce } from '../db/coalesce.ts'

/** What decides over a member in their house; `houses/permissions.ts` reads it. */
export type MembershipRow = {
  house_id: string
  user_id: string
  owner_id: string
  default_permissions: number
  roles: { id: string; position: number; allow: number; deny: number }[]
}

/** The membership of a user in a house, or undefined when there is none. */
export const findMembership = coalesce<{ house_id: string; user_id: string }, MembershipRow | undefined>(
  async (db: Db, keys) => {
    const houses = keys.map((key) => key.house_id)
    const users = keys.map((key) => key.user_id)
    const { rows } = await sql<MembershipRow & { place: string }>`
      select wanted.place, houses.id as house_id, members.user_id, houses.owner_id, houses.default_permissions,
        coalesce((
          select json_agg(json_build_object('id', roles.id::text, 'position', roles.position,
            'allow', roles.allow, 'deny', roles.deny))
          from member_roles join roles on roles.id = member_roles.role_id
          where member_roles.house_id = houses.id and member_roles.user_id = members.user_id), '[]') as roles
      from unnest(${houses}::bigint[], ${users}::bigint[]) with ordinality as wanted (house_id, user_id, place)
      join houses on houses.id = wanted.house_id
      join members on members.house_id = houses.id and members.user_id = wanted.user_id
    `.execute(db)
    const byPlace = new Map(rows.map(({ place, ...row }) => [place, row]))
    return keys.map((_key, index) => byPlace.get(String(index + 1)))
  },
)

/**
 * Holds a house until the transaction ends, so that changes to what it consists of (roles, entities, rooms) come one
 * after another. Members may still come and go. Undefined when there is no such house.
 */
export function lockHouse(db: Db, id: string) {
  return db
    .selectFrom('houses')
    .select(['id', 'owner_id', 'default_permissions'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}
