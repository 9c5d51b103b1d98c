import type { Db } from '../db/client.ts'
import { fullUserColumns } from '../users/queries.ts'

const botColumns = [...fullUserColumns, 'users.owner_id', 'users.public'] as const

/** The bots of a user, oldest first. */
export function listBots(db: Db, ownerId: string) {
  return db
    .selectFrom('users')
    .select(botColumns)
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
}

export type BotRow = Awaited<ReturnType<typeof listBots>>[number]

/** A bot that is not deleted, or undefined. */
export function findBot(db: Db, id: string): Promise<BotRow | undefined> {
  return db
    .selectFrom('users')
    .select(botColumns)
    .where('id', '=', id)
    .where('bot', '=', true)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** How many bots a user has. */
export async function countBots(db: Db, ownerId: string): Promise<number> {
  const row = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}
