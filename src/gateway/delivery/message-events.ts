import { readGatewayExtension } from '../../messages/read/extension-operations.ts'
import { findMessageCreated, findMessageEdited } from '../../messages/read/gateway-message-operations.ts'
import type { GatewayExtension, GatewayMessage } from '../../messages/schemas.ts'
import { findRemaining, listCaughtUp } from '../../read-states/mark-operations.ts'
import type { GatewayContext } from '../context.ts'
import type { Session } from '../sessions/session.ts'
import { payload } from '../transport/frames.ts'
import { type Audience, extendedOnly, usersOf } from './audience.ts'
import { ahead, type EventHandlers, type ReadAheadHandlers, type Send } from './event-handler.ts'

export const messageHandlers: EventHandlers = {
  reaction_updated(_gateway, { type: _, ...reaction }, audience) {
    const sessions = extendedOnly(audience.sessionsInRoom(reaction.room_id))
    audience.emit(sessions, payload('REACTION_UPDATE', reaction))
  },

  pin_updated(_gateway, { type: _, ...pin }, audience) {
    const sessions = extendedOnly(audience.sessionsInRoom(pin.room_id))
    audience.emit(sessions, payload('PIN_UPDATE', pin))
  },
}

export const messageReadAheadHandlers: ReadAheadHandlers = {
  /** MESSAGE_DELETE, and READ_STATE_UPDATE to extended sessions of users whom it leaves nothing to read. */
  message_deleted({ db, registry }, { message_id, room_id, house_id }) {
    const find = () => findRemaining(db, room_id)
    const reading = extendedOnly(registry.sessionsInRoom(room_id)).length > 0 ? ahead(find()) : undefined
    return async (audience) => {
      const sessions = audience.sessionsInRoom(room_id)
      const users = usersOf(extendedOnly(sessions))
      const remaining = users.length > 0 ? await (reading ?? find()) : undefined
      const caughtUp = remaining && (await listCaughtUp(db, remaining, message_id, users))
      const isCaughtUp = ({ extended, userId }: Session) => extended && caughtUp?.has(userId) === true
      // Some existing clients read one of the ids, some the other.
      const deleted = payload('MESSAGE_DELETE', { id: message_id, message_id, room_id, house_id })
      audience.emit(
        sessions.filter((session) => !isCaughtUp(session)),
        deleted,
      )
      if (!remaining) return
      const read = { room_id, message_id: remaining.last, mention_count: 0 }
      audience.emit(sessions.filter(isCaughtUp), deleted, payload('READ_STATE_UPDATE', read))
    }
  },

  /** The message as it was sent, where the event has it; else as it is now. */
  message_created(gateway, event) {
    const find = () => findMessageCreated(gateway.db, event, gateway.origin())
    return sendMessage(gateway, 'MESSAGE_CREATE', event, find)
  },

  /** The message as this edit has made it, where the event has it; else as it is now. */
  message_updated(gateway, event) {
    const find = () => findMessageEdited(gateway.db, event, gateway.origin())
    return sendMessage(gateway, 'MESSAGE_UPDATE', event, find)
  },
}

type MessageEvent = {
  room_id: string
  message_id: string
  message?: GatewayMessage
  extension?: GatewayExtension
}

/** Sends a message to those who can read the room: with more keys to the sessions that are extended. */
function sendMessage(
  { db, registry }: GatewayContext,
  name: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE',
  event: MessageEvent,
  find: () => Promise<GatewayMessage | undefined>,
): Send {
  const { room_id, message_id: id } = event
  const findExtension = () => readGatewayExtension(db, { room_id, id })
  const present = registry.sessionsInRoom(room_id)
  const isExpected = (sessions: readonly Session[]) => registry.joining.size > 0 || sessions.length > 0
  const reading = !event.message && isExpected(present) ? ahead(find()) : undefined
  const isExtended = isExpected(extendedOnly(present))
  const readingMore = !event.extension && isExtended ? ahead(findExtension()) : undefined

  return async (audience: Audience) => {
    const sessions = audience.sessionsInRoom(room_id)
    if (sessions.length === 0) return
    const extended = extendedOnly(sessions)
    const message = event.message ?? (await (reading ?? find()))
    if (!message) return
    const extension =
      extended.length > 0 ? (event.extension ?? (await (readingMore ?? findExtension()))) : undefined
    const others = sessions.filter((session) => !session.extended)
    if (others.length > 0) audience.emit(others, payload(name, message))
    if (extension) audience.emit(extended, payload(name, { ...message, ...extension }))
  }
}
