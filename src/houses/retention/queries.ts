import type { Db } from '../../database/client.ts'

/** The age past which the messages of a house are deleted, in seconds; null: it has none of its own. */
export async function findRetention(db: Db, houseId: string): Promise<number | null> {
  const row = await db
    .selectFrom('house_retention')
    .select('max_age')
    .where('house_id', '=', houseId)
    .executeTakeFirst()
  return row?.max_age ?? null
}

/** Sets the age, also where there is one. */
export async function upsertRetention(db: Db, houseId: string, maxAge: number): Promise<void> {
  await db
    .insertInto('house_retention')
    .values({ house_id: houseId, max_age: maxAge })
    .onConflict((conflict) => conflict.column('house_id').doUpdateSet({ max_age: maxAge }))
    .execute()
}

export async function deleteRetention(db: Db, houseId: string): Promise<void> {
  await db.deleteFrom('house_retention').where('house_id', '=', houseId).execute()
}
