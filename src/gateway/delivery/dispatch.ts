import { setTimeout as pause } from 'node:timers/promises'
import { stallTolerantTimeout } from '../../concurrency/stall-tolerant-timeout.ts'
import { isDatabaseUnavailable } from '../../database/availability/unavailable.ts'
import { type EventOf, type HearthEvent, scopeOf } from '../../events/events.ts'
import type { GatewayContext } from '../context.ts'
import type { PendingEvent, Session } from '../sessions/session.ts'
import type { SessionRegistry } from '../sessions/session-registry.ts'
import { type Audience, allSessions, singleSession, weighed } from './audience.ts'
import type { EventHandlers, ReadAheadHandlers, Send } from './event-handler.ts'
import { houseHandlers, houseReadAheadHandlers } from './house-events.ts'
import { messageHandlers, messageReadAheadHandlers } from './message-events.ts'
import { roomHandlers, roomReadAheadHandlers } from './room-events.ts'
import { userHandlers, userReadAheadHandlers } from './user-events.ts'
import { visibilityHandlers } from './visibility.ts'

const handlers: EventHandlers = {
  ...houseHandlers,
  ...messageHandlers,
  ...roomHandlers,
  ...userHandlers,
  ...visibilityHandlers,
}
const readAheadHandlers: ReadAheadHandlers = {
  ...houseReadAheadHandlers,
  ...messageReadAheadHandlers,
  ...roomReadAheadHandlers,
  ...userReadAheadHandlers,
}

/** How long the answer to a join waits for sessions of the joiner that log in. */
const houseJoinTimeoutMs = 1_000
/** While the database is unavailable, sending is retried at this interval, up to `giveUpAfterMs`. */
const retryMs = 1_000
const giveUpAfterMs = 30_000

/**
 * Sends an event to the affected sessions, after everything that was dispatched before, unless a later equal one replaces
 * it. Settles when its turn is over; after a join, when the sessions of the joiner that log in have it, too.
 */
export async function dispatch(
  gateway: GatewayContext,
  event: HearthEvent,
  position: number | undefined,
): Promise<void> {
  const { registry, bus } = gateway
  const { epoch } = bus
  if (registry.sessions.size === 0) return
  const pending = prepare(gateway, event, position)
  const isSent = gateway.waitingEvents.add(event, position)
  await gateway.deliveries(async () => {
    const isReplaced = !isSent()
    // When the log was lost, the sessions of that time have ended, and its positions mean nothing.
    if (bus.epoch !== epoch) return
    if (!isReplaced) {
      for (const session of registry.joining) session.buffer(pending)
      await pending.sendToAll()
    }
    if (position !== undefined && bus.epoch === epoch) registry.position = position
  })
  if (event.type === 'member_joined') await untilReady(registry.sessionsOfUser(event.user_id))
}

/** Begins the reads of an event, and returns how to send it when its turn comes. */
export function prepare(
  gateway: GatewayContext,
  event: HearthEvent,
  position: number | undefined,
): PendingEvent & { sendToAll(): Promise<void> } {
  const { registry } = gateway
  const begin = () => beginSending(gateway, event)
  const begun = begin()

  /** Ends the affected sessions of an event that cannot be sent: their clients log in again. */
  async function send(audience: Audience, concerned: () => Session[]): Promise<void> {
    const deadline = performance.now() + giveUpAfterMs
    for (let attempt = begun; attempt; attempt = begin()) {
      try {
        return await attempt(audience)
      } catch (error) {
        if (!isDatabaseUnavailable(error) || performance.now() > deadline) {
          gateway.log.error({ err: error, event: event.type }, 'an event could not be sent')
          for (const session of concerned()) registry.end(session, 'internal_error')
          return
        }
      }
      await pause(retryMs, undefined, { ref: false })
    }
  }

  return {
    event,
    position,
    async sendTo(session) {
      if (session.connection.isOpen) await send(singleSession(session, { event, position }), () => [session])
    },
    async sendToAll() {
      const audience = weighed(allSessions(registry, { event, position }))
      await send(audience, () => affectedSessions(registry, event))
      gateway.weights.delivered(event, audience.weight)
    },
  }
}

function beginSending<Type extends HearthEvent['type']>(
  gateway: GatewayContext,
  event: EventOf<Type>,
): Send | undefined {
  const type: Type = event.type as Type
  const handler = handlers[type]
  return (
    readAheadHandlers[type]?.(gateway, event) ??
    (handler && ((audience) => handler(gateway, event, audience)))
  )
}

/** A login may be slow, or fail. */
async function untilReady(sessions: readonly Session[]): Promise<void> {
  const joining = sessions.filter((session) => !session.isReady)
  if (joining.length === 0) return
  const ready = Promise.all(joining.map((session) => session.ready))
  const { promise: timeout, resolve } = Promise.withResolvers<void>()
  const stopWaiting = stallTolerantTimeout(houseJoinTimeoutMs, resolve)
  await Promise.race([ready, timeout])
  stopWaiting()
}

/** The sessions that an event may concern: all of them where it takes a read to know the contacts of a user. */
function affectedSessions(registry: SessionRegistry, event: HearthEvent): Session[] {
  const { sessions } = registry
  if (event.type === 'user_updated') return [...sessions.values()]
  if (event.type === 'presence_changed' && event.contact_ids === null) return [...sessions.values()]
  const ids = [scopeOf(event), ...Object.values(event).flat()].map(String)
  return [...new Set(ids)].flatMap((id) => [
    ...registry.sessionsInHouse(id),
    ...registry.sessionsInRoom(id),
    ...registry.sessionsOfUser(id),
    ...registry.sessionsWatching(id),
  ])
}
