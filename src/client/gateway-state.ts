/** A gateway session and its last handled event: what a resume needs, in this or another process. */
export type Session = { session_id: string; seq: number }

export type GatewayState =
  /** Not connected, closed, or refused by the server, with its close code and reason. */
  | { name: 'closed'; code?: number; reason?: string }
  | { name: 'connecting' }
  /** Logged in with all houses received, or resumed. */
  | { name: 'ready' }
  /** Disconnected; the next attempt is at `until`, in ms since 1970. `greeted`: whether the last attempt got a hello. */
  | { name: 'waiting'; until: number; code: number; reason: string; greeted: boolean }
