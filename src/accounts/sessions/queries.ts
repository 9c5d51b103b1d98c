import type { Db } from '../../database/client.ts'

/** Inserts a login session. */
export async function insertSession(
  db: Db,
  session: { id: string; user_id: string; token_hash: Buffer; client: string; address: string },
): Promise<void> {
  await db.insertInto('sessions').values(session).execute()
}

/** The login sessions of a user with smaller ids than `before`, newest first. */
export function listSessions(db: Db, userId: string, { before, limit }: { before: string; limit: number }) {
  return db
    .selectFrom('sessions')
    .select(['id', 'last_seen_at', 'client', 'address'])
    .where('user_id', '=', userId)
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export type SessionRow = Awaited<ReturnType<typeof listSessions>>[number]

/** Deletes a login session of a user. Returns its id, or [] if it does not exist. */
export async function deleteSession(db: Db, userId: string, id: string): Promise<string[]> {
  const rows = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

/** Deletes the login sessions of all bots of a user. Returns their ids. */
export async function deleteSessionsOfBots(db: Db, ownerId: string): Promise<string[]> {
  const rows = await db
    .deleteFrom('sessions')
    .using('users')
    .whereRef('users.id', '=', 'sessions.user_id')
    .where('users.owner_id', '=', ownerId)
    .returning('sessions.id')
    .execute()
  return rows.map((row) => row.id)
}

/** Whether a login session exists. */
export async function hasSession(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}

/** Deletes all login sessions of a user except `exceptId`. Returns their ids. */
export async function deleteSessions(db: Db, userId: string, exceptId?: string): Promise<string[]> {
  const rows = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(exceptId !== undefined, (query) => query.where('id', '!=', exceptId!))
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}
