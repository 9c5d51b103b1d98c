/** Times and bounds of the gateway (PROTOCOL 8); tests shorten some. */
export type GatewaySettings = {
  /**
   * Between INIT_STATE and the first HOUSE_JOIN (existing clients need this because they miss what comes with
   * INIT_STATE).
   */
  houseJoinDelayMs: number
  loginTimeoutMs: number
  /** A client that is silent for so long is sent a ping, and further ones every `pingEveryMs`. */
  pingAfterMs: number
  pingEveryMs: number
  /** A client that is silent for so long is closed. */
  closeSilentAfterMs: number
  /** From the end of a user's last connection until the user counts as offline. */
  offlineAfterMs: number
  /** How long a gateway session outlives its connection. */
  resumableForMs: number
  /**
   * Bounds for gateway sessions without a connection: of one user, of all, and of the bytes that all keep for a replay.
   * Past them, the sessions that have been without a connection for the longest time are dropped early.
   */
  maxDetachedPerUser: number
  maxDetached: number
  maxDetachedBytes: number
  /** How long a message waits for the one before it, which another process sent. */
  missingMessageMs: number
  /** How often all connections and sessions are checked for the above. */
  sweepEveryMs: number
  /** How long a stop waits for queued data to be sent. */
  stopWithinMs: number
  maxConnectionsPerUser: number
  /** Frames from a client, not counting heartbeats. */
  maxFramesPerMinute: number
}

export const defaultSettings: GatewaySettings = {
  houseJoinDelayMs: 50,
  loginTimeoutMs: 30_000,
  pingAfterMs: 45_000,
  pingEveryMs: 15_000,
  closeSilentAfterMs: 90_000,
  offlineAfterMs: 5_000,
  resumableForMs: 330_000,
  maxDetachedPerUser: 50,
  maxDetached: 20_000,
  maxDetachedBytes: 256 * 1024 * 1024,
  missingMessageMs: 500,
  sweepEveryMs: 1_000,
  stopWithinMs: 5_000,
  maxConnectionsPerUser: 50,
  maxFramesPerMinute: 120,
}

/** The most bytes of a frame from a client. */
export const maxFrameBytes = 64 * 1024
/** The most bytes of the `d` of an event: no frame exceeds 3.5 MiB then (existing clients refuse more than 4 MiB). */
export const maxEventBytes = 3.5 * 1024 * 1024 - 256
/** A connection with more bytes of unsent data is closed; its session can be resumed. */
export const maxUnsentBytes = 8 * 1024 * 1024
/** Big sequences (the HOUSE_JOINs of a login, chunks) continue when fewer bytes than these are unsent. */
export const pacedBelowBytes = 1024 * 1024
/** The events that a gateway session keeps for a replay: the last ones, up to this number and these bytes. */
export const maxKeptEvents = 1_000
export const maxKeptBytes = 8 * 1024 * 1024
/** The most missing messages of a room (sent by another process) that are read from the database. */
export const maxMissedMessages = 500
/** Events that may be held until the end of a login. */
export const maxHeldEvents = 20_000
/** Members in HOUSE_JOIN and HOUSE_UPDATE, and in one HOUSE_MEMBERS_CHUNK. */
export const maxListedMembers = 2_500
export const maxChunkMembers = 1_000
/** Ids in one op 6. */
export const maxWatchedUsers = 1_000
