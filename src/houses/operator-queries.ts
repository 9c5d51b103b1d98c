import { sql } from 'kysely'
import type { Db } from '../db/client.ts'

/** A house as the operator sees it. */
type ListedHouseRow = { id: string; name: string; owner: string; member_count: number }

/** Every house with its owner's username, oldest first. */
export async function listAllHouses(db: Db): Promise<ListedHouseRow[]> {
  const { rows } = await sql<ListedHouseRow>`
    select houses.id, houses.name, users.username as owner,
      (select count(*)::integer from members where members.house_id = houses.id) as member_count
    from houses join users on users.id = houses.owner_id
    order by houses.id`.execute(db)
  return rows
}
