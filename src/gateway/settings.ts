/** Times and bounds of the gateway (PROTOCOL 8); tests shorten some. */
export type GatewaySettings = {
  /**
   * Between INIT_STATE and the first HOUSE_JOIN (existing clients need this because they miss what comes with
   * INIT_STATE).
   */
  houseJoinDelayMs: number
  loginTimeoutMs: number
  /** Silent for so long, a client is sent a ping; then every `pingEveryMs`. */
  pingAfterMs: number
  pingEveryMs: number
  /** Silent for so long, a client is closed. */
  closeSilentAfterMs: number
  /** After the last connection of a user has gone. */
  offlineAfterMs: number
  /** How long a gateway session outlives its connection. */
  resumableForMs: number
  /**
   * Past these the gateway sessions longest without a connection are let go before their time: of one user who connects
   * anew and anew without resuming, and in all, by number and by the bytes that they keep for a replay.
   */
  maxDetachedPerUser: number
  maxDetached: number
  maxDetachedBytes: number
  /** How long a message waits for the one before it, which another process sent. */
  missingMessageMs: number
  /** How often all connections are looked over for the above. */
  sweepEveryMs: number
  /** How long a stop waits for what is queued. */
  stopWithinMs: number
  maxConnectionsPerUser: number
  /** Frames from the client, heartbeats aside. */
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

/** Frames to the server, in bytes. */
export const maxFrameBytes = 64 * 1024
/**
 * What an event says, in bytes: with what is around it no frame exceeds 3.5 MiB (existing clients refuse over 4 MiB).
 */
export const maxEventBytes = 3.5 * 1024 * 1024 - 256
/** A connection with more unsent data is closed; it may resume. */
export const maxUnsentBytes = 8 * 1024 * 1024
/** What may come in several big parts (HOUSE_JOINs of a login, chunks) goes on when less than this waits. */
export const pacedBelowBytes = 1024 * 1024
/** What a gateway session keeps for a replay: its last events, as long as they do not pass the bytes. */
export const keptEvents = 1_000
export const maxKeptBytes = 8 * 1024 * 1024
/** Messages that another process could not tell us of, and that are looked up for those who read the room. */
export const maxMissedMessages = 500
/** Events that may wait for the end of a login. */
export const maxHeldEvents = 20_000
/** Members in HOUSE_JOIN and HOUSE_UPDATE, and in one HOUSE_MEMBERS_CHUNK. */
export const maxListedMembers = 2_500
export const maxChunkMembers = 1_000
/** Ids in one op 6. */
export const maxWatchedUsers = 1_000
