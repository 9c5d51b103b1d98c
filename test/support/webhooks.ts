import { hashToken, newToken } from '../../src/auth/tokens.ts'
import { newId } from '../../src/ids.ts'
import { type Den, db, failure, type Person } from './world.ts'

export const webhookNotFound = failure('webhook_not_found', 'That webhook does not exist')

/** A webhook with the token and the path that execute it. */
export type Hook = { id: string; token: string; path: string }

/** Makes a webhook as `POST /houses/{id}/webhooks` does: by default in the first room, and without a creator. */
export async function webhook(
  den: Den,
  fields: { room_id?: string; name?: string; creator?: Person } = {},
): Promise<Hook> {
  const { room_id = den.room_id, name = 'Hook', creator } = fields
  const [id, token] = [newId(), newToken()]
  const account = { id, username: `webhook-${id}`, name, bot: true, owner_id: id }
  await db.insertInto('users').values(account).execute()
  await db
    .insertInto('webhooks')
    .values({ id, house_id: den.id, room_id, creator_id: creator?.id ?? null, token_hash: hashToken(token) })
    .execute()
  return { id, token, path: `/webhooks/${id}/${token}` }
}

/** A webhook's row, or undefined. */
export function webhookRow(id: string) {
  return db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst()
}
