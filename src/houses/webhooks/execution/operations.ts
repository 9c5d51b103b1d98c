import { timingSafeEqual } from 'node:crypto'
import { hashToken, readToken } from '../../../auth/tokens.ts'
import type { Db } from '../../../database/client.ts'
import { ApiError } from '../../../errors.ts'
import type { GatewayMessage } from '../../../messages/schemas.ts'
import type { Send } from '../../../messages/send/operations.ts'
import { canExecute } from '../permissions.ts'
import { type ExecutableRow, findExecutable } from '../queries.ts'

/** The webhook that an id and a token name. Throws `webhook_not_found`, also for a webhook that no longer works. */
export async function requireExecutable(db: Db, id: string, token: string): Promise<ExecutableRow> {
  const isToken = readToken(token) === token
  const row = isToken ? await findExecutable(db, id) : undefined
  if (!row || !timingSafeEqual(row.token_hash, hashToken(token)) || !canExecute(row)) {
    throw new ApiError('webhook_not_found')
  }
  return row
}

/**
 * Sends a message as a webhook, whose account is a member of nothing. Throws `webhook_not_found` where its room, and
 * with it the webhook, has been deleted meanwhile.
 */
export async function executeWebhook(
  send: Send,
  { id, account, house_id, room_id }: ExecutableRow,
  message: { content: string; nonce: string | null },
): Promise<GatewayMessage> {
  const author = { ...account, is_deleted: false, joined_at: null, last_permission_update: null, roles: [] }
  const sender = { house_id, maySend: true, mayAttach: false, author }
  const outgoing = { ...message, exploding_age: null, attachment: null, reply: null }
  try {
    const sent = await send({ id, session_id: id }, room_id, outgoing, sender)
    return sent.message
  } catch (error) {
    const isGone = error instanceof ApiError && error.code === 'room_not_found'
    throw isGone ? new ApiError('webhook_not_found') : error
  }
}
