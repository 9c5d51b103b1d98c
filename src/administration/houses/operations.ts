import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import { deleteLockedHouse } from '../../houses/operations.ts'
import { lockHouse } from '../../houses/queries.ts'
import { type Administrator, writeServerAudit } from '../audit-log/operations.ts'

/** Deletes a house, whoever owns it. Throws `house_not_found`. */
export async function deleteAnyHouse(
  db: Db,
  by: Administrator,
  id: string,
): Promise<Outcome<{ id: string }>> {
  return commit(db, async (trx) => {
    const house = await lockHouse(trx, id)
    if (!house) throw new ApiError('house_not_found')
    const events = await deleteLockedHouse(trx, house)
    await writeServerAudit(trx, by, 'house_deleted', { type: 'house', id }, [
      { key: 'name', old: house.name, new: null },
    ])
    return { answer: { id }, events }
  })
}
