import { mentionsIn } from '../../markdown/references.ts'
import type { GatewayMessage } from '../../messages/schemas.ts'
import type { RecipientRow } from './notifying-queries.ts'
import type { PushPayload } from './sending-operations.ts'

/** Of a message, in code points. */
const maxTextLength = 120
const dayOfSeconds = 86_400

/** How long a push service may keep the push of a message, in seconds: no longer than the message. 0: it has exploded. */
export function secondsToKeep(
  { timestamp, exploding_age }: Pick<GatewayMessage, 'timestamp' | 'exploding_age'>,
  nowMs: number,
): number {
  if (exploding_age === null) return dayOfSeconds
  const left = Math.ceil(timestamp / 1000 + exploding_age - nowMs / 1000)
  return Math.max(0, Math.min(left, exploding_age, dayOfSeconds))
}

/**
 * What a push tells about a message (docs/api.md#push). It has no text of an exploding message, whose notification may
 * stay longer than the message.
 */
export function messagePayload(
  message: GatewayMessage,
  { room_name, house_name }: RecipientRow,
  count: number,
): PushPayload {
  const { id, room_id, house_id, author, exploding_age } = message
  return {
    type: 'message',
    room_id,
    house_id,
    message_id: id,
    author: author.name,
    room: room_name,
    house: house_name,
    text: exploding_age === null ? textOf(message) : '',
    count,
  }
}

/** By message: its text, which is the same for all whom it is pushed to. */
const texts = new WeakMap<GatewayMessage, string>()

function textOf(message: GatewayMessage): string {
  const text = texts.get(message) ?? shorten(wholeTextOf(message))
  texts.set(message, text)
  return text
}

/** The content with names in place of ids, or the name of the file. */
function wholeTextOf({ content, mentions, attachment }: GatewayMessage): string {
  const names = new Map(mentions.map(({ id, username }) => [id, username]))
  let text = content
  // From the end, so that the places of the others hold.
  for (const { start, end, id } of mentionsIn(content).reverse()) {
    const name = names.get(id)
    if (name !== undefined) text = `${text.slice(0, start)}@${name}${text.slice(end)}`
  }
  return text.trim() || (attachment?.filename ?? '')
}

function shorten(text: string): string {
  const points = [...text]
  return points.length <= maxTextLength ? text : `${points.slice(0, maxTextLength - 1).join('')}…`
}
