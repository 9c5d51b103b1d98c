import type { GatewayMessage } from '../../../messages/schemas.ts'

/** The fields of Discord's message object, for clients that wait for it. */
export function serializeForDiscord({ id, room_id, author, content, timestamp }: GatewayMessage) {
  return {
    id,
    type: 0,
    channel_id: room_id,
    webhook_id: author.id,
    content,
    timestamp: new Date(timestamp).toISOString(),
    author: { id: author.id, username: author.name, avatar: null, bot: true },
  }
}
