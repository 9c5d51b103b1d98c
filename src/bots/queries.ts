import { sql } from 'kysely'
import type { Db } from '../database/client.ts'
import { fullUserColumns } from '../users/queries.ts'

const botColumns = [...fullUserColumns, 'users.owner_id', 'users.public'] as const

/** Bots that are not deleted. */
function selectBots(db: Db) {
  return db.selectFrom('users').select(botColumns).where('bot', '=', true).where('deleted_at', 'is', null)
}

/** The bots of a user, oldest first. */
export function listBots(db: Db, ownerId: string) {
  return selectBots(db).where('owner_id', '=', ownerId).orderBy('id').execute()
}

export type BotRow = Awaited<ReturnType<typeof listBots>>[number]

/** A bot by id, or undefined. */
export function findBot(db: Db, id: string): Promise<BotRow | undefined> {
  return selectBots(db).where('id', '=', id).executeTakeFirst()
}

/** How many bots a user has. */
export async function countBots(db: Db, ownerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from users
    where owner_id = ${ownerId} and deleted_at is null`.execute(db)
  return rows[0]!.count
}
