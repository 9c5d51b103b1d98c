/** A gateway session and the last event of it that was handled: enough to resume it, also in another process. */
export type Session = { session_id: string; seq: number }

export type GatewayState =
  /** Not begun, closed, or refused for good: then with code and reason. */
  | { name: 'closed'; code?: number; reason?: string }
  | { name: 'connecting' }
  /** Logged in, all houses included, or resumed. */
  | { name: 'ready' }
  /** Until the next attempt, in ms since 1970. */
  | { name: 'waiting'; until: number; code: number; reason: string }
