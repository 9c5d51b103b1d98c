import { sql } from 'kysely'
import { isIdle } from '../auth/queries.ts'
import { coalesce, groupByPlace, orderByKeys } from '../database/batching/coalesce.ts'
import { byteaArray, prepareRead } from '../database/batching/reads.ts'
import type { Db } from '../database/client.ts'

const compactUserColumns = [
  'users.icon',
  'users.id',
  'users.username',
  'users.name',
  'users.header',
  'users.flags',
  'users.bot',
] as const

export const gatewayUserColumns = [
  ...compactUserColumns,
  'users.bio',
  'users.website',
  'users.location',
] as const

export const fullUserColumns = [
  ...gatewayUserColumns,
  'users.email',
  'users.email_verified',
  'users.mfa_enabled',
] as const

export type CompactUserRow = {
  icon: string | null
  id: string
  username: string
  name: string
  header: string | null
  flags: number
  bot: boolean
}
export type GatewayUserRow = CompactUserRow & { bio: string; website: string; location: string }
export type FullUserRow = GatewayUserRow & {
  email: string | null
  email_verified: boolean
  mfa_enabled: boolean
}

/** The same columns, for statements in SQL. */
export const compactUserSelection = sql.raw(compactUserColumns.join(', '))
export const gatewayUserSelection = sql.raw(gatewayUserColumns.join(', '))
const fullUserSelection = sql.raw(fullUserColumns.join(', '))

/** A `GatewayUserRow` as JSON, in one column. */
export const gatewayUserJson = sql<GatewayUserRow>`
  json_build_object('id', users.id::text, 'username', users.username, 'name', users.name, 'icon', users.icon,
    'header', users.header, 'flags', users.flags, 'bot', users.bot, 'bio', users.bio, 'website', users.website,
    'location', users.location)`

/**
 * Each of these reads is a whole request: full batches are sent at once, so that the database starts while others are
 * parsed.
 */
const early = { fullAt: 16 }

const readUsers = prepareRead(({ ids }: { ids: readonly string[] }) => {
  return sql<FullUserRow>`
    select ${fullUserSelection} from users where id = any(${ids}::bigint[]) and deleted_at is null`
})

/** A user by id, or undefined; deleted accounts are not found. */
export const findUser = coalesce<string, FullUserRow | undefined>(async (db: Db, ids) => {
  return orderByKeys(ids, await readUsers(db, { ids }), (row) => row.id)
}, early)

const readUsersByUsername = prepareRead(({ usernames }: { usernames: readonly string[] }) => {
  return sql<FullUserRow>`
    select ${fullUserSelection} from users where username = any(${usernames}::text[]) and deleted_at is null`
})

/** A user by username (lower case), or undefined. */
export const findUserByUsername = coalesce<string, FullUserRow | undefined>(async (db: Db, usernames) => {
  return orderByKeys(usernames, await readUsersByUsername(db, { usernames }), (row) => row.username)
}, early)

type OwnUserRow = FullUserRow & { session_id: string; is_idle: boolean; place: string }

const readUsersByToken = prepareRead(({ hashes }: { hashes: string }) => {
  return sql<OwnUserRow>`
    select ${fullUserSelection}, sessions.id as session_id, ${isIdle} as is_idle, place
    from unnest(${hashes}::bytea[]) with ordinality as asked (token_hash, place)
    join sessions on sessions.token_hash = asked.token_hash
    join users on users.id = sessions.user_id and users.deleted_at is null and not users.disabled`
})

/**
 * The user and login session a token hash (hex) belongs to, or undefined: who is calling and what they ask for at once.
 */
export const findUserByToken = coalesce<string, OwnUserRow | undefined>(async (db: Db, hashes) => {
  return groupByPlace(hashes.length, await readUsersByToken(db, { hashes: byteaArray(hashes) }))
}, early)

/** These users as others see them on the gateway, in no order; deleted accounts are found, in their emptied form. */
export function listGatewayUsers(db: Db, ids: readonly string[]): Promise<GatewayUserRow[]> {
  return db
    .selectFrom('users')
    .select(gatewayUserColumns)
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    .execute()
}

/** One of them, or undefined. */
export const findGatewayUser = coalesce<string, GatewayUserRow | undefined>(async (db: Db, ids) => {
  return orderByKeys(ids, await listGatewayUsers(db, ids), (row) => row.id)
})

/** The user with their private fields and, of a bot, whether others may add it; locked against other edits. */
export function lockUser(db: Db, id: string) {
  return db
    .selectFrom('users')
    .select([...fullUserColumns, 'users.public'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** What an edit can change of a user. */
export type UserChanges = Partial<
  Pick<FullUserRow, 'location' | 'username' | 'website' | 'bio' | 'header' | 'icon' | 'name'> & {
    public: boolean
  }
>

export async function updateUser(db: Db, id: string, changes: UserChanges): Promise<void> {
  await db.updateTable('users').set(changes).where('id', '=', id).execute()
}
