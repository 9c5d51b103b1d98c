import { anonymizeAccount } from '../../accounts/deletion/queries.ts'
import type { Db } from '../../database/client.ts'
import { discardFiles } from '../../storage/discard.ts'
import { pictureNames } from '../../users/operations.ts'
import { deleteWebhooks, type WebhookRow } from './queries.ts'

/**
 * Removes webhooks, inside a transaction that locks their house, and empties their accounts: their messages stay, as
 * those of a deleted user.
 */
export async function removeWebhooks(trx: Db, webhooks: readonly WebhookRow[]): Promise<void> {
  if (webhooks.length === 0) return
  await deleteWebhooks(
    trx,
    webhooks.map(({ id }) => id),
  )
  for (const { id, icon } of webhooks) {
    await anonymizeAccount(trx, id)
    await discardFiles(trx, pictureNames(id, { icon }))
  }
}
