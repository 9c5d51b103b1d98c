import type { WebhookRow } from './queries.ts'
import type { Webhook, WebhookWithUrl } from './schemas.ts'

export function serializeWebhook(row: WebhookRow): Webhook {
  const { id, house_id, room_id, creator_id, name, icon } = row
  return { id, house_id, room_id, creator_id, name, icon }
}

/** `origin`: the server's public address. */
export function serializeWebhookWithUrl(row: WebhookRow, token: string, origin: string): WebhookWithUrl {
  return { ...serializeWebhook(row), url: `${origin}/v1/webhooks/${row.id}/${token}` }
}
