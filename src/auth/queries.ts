import { sql } from 'kysely'
import { coalesce, groupByPlace } from '../database/batching/coalesce.ts'
import { byteaArray, prepareRead } from '../database/batching/reads.ts'
import type { Db } from '../database/client.ts'
import { readLogin } from './logins.ts'

/**
 * Who makes a request, and through which login session; `is_idle`: it was last noted as seen five minutes ago or more.
 * `owner_id`: the owner of a bot, else the user: the person for whom limits count (docs/api.md#rate-limits).
 */
export type Caller = { id: string; owner_id: string; session_id: string; bot: boolean; is_idle: boolean }

/** The caller, and the person whose turn a request takes: the owner of a bot shares it with all their bots. */
export type TurnTaker = Pick<Caller, 'id' | 'owner_id'>

/** The owner of a bot in `users`, else the user. */
export const ownerId = sql<string>`coalesce(users.owner_id, users.id)`

/** Whether a login session is worth noting as seen again. The time is worked out once, not for each of them. */
export const isIdle = sql<boolean>`sessions.last_seen_at < (select now() - interval '5 minutes')`

const readCallers = prepareRead(({ hashes }: { hashes: string }) => {
  return sql<Caller & { place: string }>`
    select users.id, ${ownerId} as owner_id, sessions.id as session_id, users.bot, ${isIdle} as is_idle, place
    from unnest(${hashes}::bytea[]) with ordinality as asked (token_hash, place)
    join sessions on sessions.token_hash = asked.token_hash
    join users on users.id = sessions.user_id and users.deleted_at is null and not users.disabled`
})

/** The caller a token hash (hex) belongs to, or undefined. */
export const findCaller = coalesce<string, Caller | undefined>(async (db: Db, hashes) => {
  return groupByPlace(hashes.length, await readCallers(db, { hashes: byteaArray(hashes) }))
})

const readIdByEmail = prepareRead(({ email }: { email: string }) => {
  return sql<{ id: string }>`select id from users where lower(email) = lower(${email}) and deleted_at is null`
})

const readIdByUsername = prepareRead(({ username }: { username: string }) => {
  return sql<{ id: string }>`select id from users where username = ${username} and deleted_at is null`
})

/** The account that a login names, or undefined. */
export async function findIdByLogin(db: Db, login: string): Promise<string | undefined> {
  const named = readLogin(login)
  const rows = await ('email' in named ? readIdByEmail(db, named) : readIdByUsername(db, named))
  return rows[0]?.id
}

/**
 * Notes that login sessions are in use, except those that somebody has locked, as to end them: whoever ends several
 * could else meet this in a deadlock.
 */
export async function touchSessions(db: Db, ids: readonly string[]): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ last_seen_at: sql<Date>`now()` })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('sessions')
        .select('id')
        .where('id', '=', sql<string>`any(${ids}::bigint[])`)
        .orderBy('id')
        .forNoKeyUpdate()
        .skipLocked(),
    )
    .execute()
}

/** Whether an account administers the server. */
export async function isAdmin(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('users').select('admin').where('id', '=', id).executeTakeFirst()
  return row?.admin === true
}

/** The admin that a token hash (hex) belongs to, or undefined. */
export async function findAdmin(db: Db, tokenHash: string): Promise<Caller | undefined> {
  const { rows } = await sql<Caller>`
    select users.id, ${ownerId} as owner_id, sessions.id as session_id, users.bot, ${isIdle} as is_idle
    from sessions join users on users.id = sessions.user_id
    where sessions.token_hash = ${Buffer.from(tokenHash, 'hex')} and users.admin and not users.disabled
      and users.deleted_at is null`.execute(db)
  return rows[0]
}
