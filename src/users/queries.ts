import { sql } from 'kysely'
import { isIdle, ownerId } from '../auth/queries.ts'
import { coalesce, coalesceLists, groupByPlace, orderByKeys } from '../database/batching/coalesce.ts'
import { byteaArray, prepareRead, prepareTupleRead } from '../database/batching/reads.ts'
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

/** The same columns for SQL templates. */
export const compactUserSelection = sql.raw(compactUserColumns.join(', '))
export const gatewayUserSelection = sql.raw(gatewayUserColumns.join(', '))
const fullUserSelection = sql.raw(fullUserColumns.join(', '))

/** A `CompactUserRow` as JSON, in one column. */
export const compactUserJson = sql<CompactUserRow>`
  json_build_object('id', users.id::text, 'username', users.username, 'name', users.name, 'icon', users.icon,
    'header', users.header, 'flags', users.flags, 'bot', users.bot)`

/** A `GatewayUserRow` as JSON, in one column. */
export const gatewayUserJson = sql<GatewayUserRow>`
  json_build_object('id', users.id::text, 'username', users.username, 'name', users.name, 'icon', users.icon,
    'header', users.header, 'flags', users.flags, 'bot', users.bot, 'bio', users.bio, 'website', users.website,
    'location', users.location)`

/**
 * Each of these reads serves a whole request. A batch of 16 is sent at once, so that the database starts while further
 * requests are parsed.
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

type OwnUserRow = FullUserRow & { owner_id: string; session_id: string; is_idle: boolean; place: string }

const readUsersByToken = prepareRead(({ hashes }: { hashes: string }) => {
  return sql<OwnUserRow>`
    select ${fullUserSelection}, ${ownerId} as owner_id, sessions.id as session_id, ${isIdle} as is_idle, place
    from unnest(${hashes}::bytea[]) with ordinality as asked (token_hash, place)
    join sessions on sessions.token_hash = asked.token_hash
    join users on users.id = sessions.user_id and users.deleted_at is null and not users.disabled`
})

/**
 * The user and login session of a token hash (hex), or undefined: one statement authenticates and reads the user.
 */
export const findUserByToken = coalesce<string, OwnUserRow | undefined>(async (db: Db, hashes) => {
  return groupByPlace(hashes.length, await readUsersByToken(db, { hashes: byteaArray(hashes) }))
}, early)

type CompactUserTuple = [
  icon: string | null,
  id: string,
  username: string,
  name: string,
  header: string | null,
  flags: number,
  bot: boolean,
]

const readCompactUsers = prepareTupleRead(({ ids }: { ids: readonly string[] }) => {
  return sql<CompactUserTuple>`select ${compactUserSelection} from users where id = any(${ids}::bigint[])`
})

/**
 * Users by id, deleted accounts included in their anonymized form. Concurrent calls share the map and its rows, which
 * must not be changed: the people of several pages of messages are often the same.
 */
export const findCompactUsers = coalesceLists(async (db: Db, ids) => {
  const found = new Map<string, CompactUserRow>()
  for (const row of await readCompactUsers(db, { ids })) {
    found.set(row[1], {
      icon: row[0],
      id: row[1],
      username: row[2],
      name: row[3],
      header: row[4],
      flags: row[5],
      bot: row[6],
    })
  }
  return found
})

/** Users with the columns of the gateway form, in no order; deleted accounts are found in their anonymized form. */
export function listGatewayUsers(db: Db, ids: readonly string[]): Promise<GatewayUserRow[]> {
  return db
    .selectFrom('users')
    .select(gatewayUserColumns)
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    .execute()
}

/** A user with the columns of the gateway form, deleted accounts included, or undefined. */
export const findGatewayUser = coalesce<string, GatewayUserRow | undefined>(async (db: Db, ids) => {
  return orderByKeys(ids, await listGatewayUsers(db, ids), (row) => row.id)
})

/** Locks a user against other edits, and returns the full columns and `public`; undefined if deleted. */
export function lockUser(db: Db, id: string) {
  return db
    .selectFrom('users')
    .select([...fullUserColumns, 'users.public'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** The columns that an edit can change. */
export type UserChanges = Partial<
  Pick<FullUserRow, 'location' | 'username' | 'website' | 'bio' | 'header' | 'icon' | 'name'> & {
    public: boolean
  }
>

export async function updateUser(db: Db, id: string, changes: UserChanges): Promise<void> {
  await db.updateTable('users').set(changes).where('id', '=', id).execute()
}
