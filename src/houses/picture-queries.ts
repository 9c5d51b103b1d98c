import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { coalesce, inOrderOf } from '../db/coalesce.ts'

/** A house by id with the name of its icon, or undefined. */
export const findHouseIcon = coalesce<string, { id: string; icon: string | null } | undefined>(
  async (db: Db, ids) => {
    const rows = await db
      .selectFrom('houses')
      .select(['id', 'icon'])
      .where('id', '=', sql<string>`any(${ids}::bigint[])`)
      .execute()
    return inOrderOf(ids, rows, (row) => row.id)
  },
)
