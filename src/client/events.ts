import type { EventPayloads } from '../gateway/schemas.ts'

/** The payload of every gateway event, by name. */
export type Events = EventPayloads

export type EventName = keyof Events

/** An event frame: `e` is the name, `d` the payload. */
export type GatewayEvent = {
  [Name in EventName]: { op: 0; seq: number; e: Name; d: Events[Name] }
}[EventName]

/** The frames of the server: events, hello, heartbeat acknowledgements. */
export type ServerFrame = GatewayEvent | { op: 1; d: { hbt_int: number } } | { op: 12 }
