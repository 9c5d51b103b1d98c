import type { EventOf, HearthEvent } from '../../events/events.ts'
import type { GatewayContext } from '../context.ts'
import type { Audience } from './audience.ts'

type EventType = HearthEvent['type']

/** Sends the frames of an event. */
export type Send = (audience: Audience) => void | Promise<void>

/** How events are sent, by type; an event without a handler makes no frames. */
export type EventHandlers = {
  [Type in EventType]?: (
    gateway: GatewayContext,
    event: EventOf<Type>,
    audience: Audience,
  ) => void | Promise<void>
}

/**
 * As above, for events that need reads which do not depend on the audience: called when the event arrives, a handler begins to
 * read, and returns how to send the event when its turn comes.
 */
export type ReadAheadHandlers = {
  [Type in EventType]?: (gateway: GatewayContext, event: EventOf<Type>) => Send
}

/** A read that begins before its turn: if it fails, it fails where it is awaited. */
export function ahead<Result>(reading: Promise<Result>): Promise<Result> {
  reading.catch(() => {})
  return reading
}
