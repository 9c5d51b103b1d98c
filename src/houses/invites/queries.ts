import { sql } from 'kysely'
import { coalesce, orderByKeys } from '../../database/batching/coalesce.ts'
import type { Db } from '../../database/client.ts'

export type InviteRow = {
  code: string
  house_id: string
  creator_id: string
  created_at: Date
  max_age: number | null
  max_uses: number | null
  uses: number
  type: number
}

const inviteColumns = sql`code, house_id, creator_id, created_at, max_age, max_uses, uses, type`

/** Neither expired nor used up. */
const isActive = sql`(expires_at is null or expires_at > clock_timestamp()) and (max_uses is null or uses < max_uses)`

/** An active invite by its code, or undefined. */
export const findInvite = coalesce<string, InviteRow | undefined>(async (db: Db, codes) => {
  const { rows } = await sql<InviteRow>`
    select ${inviteColumns} from invites where code = any(${codes}::text[]) and ${isActive}`.execute(db)
  return orderByKeys(codes, rows, (row) => row.code)
})

/** Why an invite that is stored is not active; undefined if none is stored under the code. */
export async function findEndOfInvite(db: Db, code: string): Promise<'expired' | 'used_up' | undefined> {
  const { rows } = await sql<{ end: 'expired' | 'used_up' }>`
    select case when expires_at <= clock_timestamp() then 'expired' else 'used_up' end as end
    from invites where code = ${code} and not (${isActive})`.execute(db)
  return rows[0]?.end
}

/** The active invites of a house, newest first. */
export async function listInvites(db: Db, houseId: string): Promise<InviteRow[]> {
  const { rows } = await sql<InviteRow>`
    select ${inviteColumns} from invites where house_id = ${houseId} and ${isActive}
    order by created_at desc, code`.execute(db)
  return rows
}

/** Deletes the invites of a house that are expired or used up. */
export async function deleteInactiveInvites(db: Db, houseId: string): Promise<void> {
  await sql`delete from invites where house_id = ${houseId} and not (${isActive})`.execute(db)
}

/** The number of invites of a house, inactive ones included. */
export async function countInvites(db: Db, houseId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from invites where house_id = ${houseId}`.execute(db)
  return rows[0]!.count
}

/** Inserts an invite with the present time; undefined if its code is in use. `max_age` in seconds. */
export async function insertInvite(
  db: Db,
  invite: Pick<InviteRow, 'code' | 'house_id' | 'creator_id' | 'max_age' | 'max_uses'>,
): Promise<InviteRow | undefined> {
  const { code, house_id, creator_id, max_age, max_uses } = invite
  const { rows } = await sql<InviteRow>`
    insert into invites (code, house_id, creator_id, max_age, max_uses, created_at, expires_at)
    select ${code}, ${house_id}, ${creator_id}, ${max_age}::integer, ${max_uses}::integer, at,
      at + make_interval(secs => ${max_age}::integer)
    from clock_timestamp() as at
    on conflict (code) do nothing
    returning ${inviteColumns}`.execute(db)
  return rows[0]
}

/** Counts a use of an invite if it is active. Returns whether it was. */
export async function updateUses(db: Db, code: string): Promise<boolean> {
  const { rows } = await sql`
    update invites set uses = uses + 1 where code = ${code} and ${isActive} returning code`.execute(db)
  return rows.length > 0
}

/** Deletes an invite. Returns whether there was one. */
export async function deleteInvite(db: Db, code: string): Promise<boolean> {
  const { rows } = await sql`delete from invites where code = ${code} returning code`.execute(db)
  return rows.length > 0
}

/** Deletes all invites to a house that a user, or one of their bots, has created. */
export async function deleteInvitesBy(db: Db, houseId: string, userId: string): Promise<void> {
  await sql`
    delete from invites where house_id = ${houseId} and creator_id in (
      select ${userId}::bigint union all select id from users where owner_id = ${userId}
    )`.execute(db)
}
