import type { Db } from '../../database/client.ts'
import { ApiError, fieldsRequired } from '../../errors.ts'
import type { Outcome } from '../../events/commit.ts'
import { type HouseActor, requireHouse, withHouseLock } from '../access-operations.ts'
import { changesBetween } from '../audit-log/operations.ts'
import type { Membership } from '../queries.ts'
import { deleteRetention, findRetention, upsertRetention } from './queries.ts'
import type { Retention } from './schemas.ts'
import { serializeRetention } from './serializers.ts'

/** What holds for the messages of a house. `serverMaxAge` is in seconds, or null. Throws `house_not_found`. */
export async function getRetention(
  db: Db,
  caller: Membership,
  serverMaxAge: number | null,
): Promise<Retention> {
  const { house_id } = await requireHouse(db, caller)
  return serializeRetention(house_id, await findRetention(db, house_id), serverMaxAge)
}

/**
 * Sets how long the messages of a house stay, in seconds; null: as long as those of the server. Messages past that age
 * are deleted by the next sweep. Throws `house_not_found`, `no_permission` unless the caller owns the house, and
 * `invalid_schema` for longer than the server's.
 */
export async function setRetention(
  db: Db,
  caller: HouseActor,
  maxAge: number | null,
  serverMaxAge: number | null,
): Promise<Outcome<Retention>> {
  const { house_id, user_id } = caller
  return withHouseLock(db, caller, async (trx, { owner_id }) => {
    if (owner_id !== user_id) throw new ApiError('no_permission')
    if (maxAge !== null && serverMaxAge !== null && maxAge > serverMaxAge) throw fieldsRequired('max_age')
    const before = await findRetention(trx, house_id)
    if (maxAge !== null && maxAge !== before) await upsertRetention(trx, house_id, maxAge)
    if (maxAge === null && before !== null) await deleteRetention(trx, house_id)
    const changed = { messages_max_age: maxAge }
    const changes = changesBetween({ messages_max_age: before }, changed, ['messages_max_age'])
    const entry = { action: 'house_updated', target_type: 'house', target_id: house_id, changes } as const
    const audit = changes.length === 0 ? [] : [entry]
    return { answer: serializeRetention(house_id, maxAge, serverMaxAge), events: [], audit }
  })
}
