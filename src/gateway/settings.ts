import { getHeapStatistics } from 'node:v8'
import { deliveryLimit } from '../http/load/delivery-weights.ts'
import type { Limit } from '../http/load/token-buckets.ts'
import { type ReceivedLimit, unlimited } from './transport/received.ts'

/** Times and bounds of the gateway (docs/gateway.md#rules-of-a-connection); tests shorten some. */
export type GatewaySettings = {
  /** Between INIT_STATE and the first HOUSE_JOIN (existing clients miss what comes together with INIT_STATE). */
  houseJoinDelayMs: number
  loginTimeoutMs: number
  /** Connections of an address that are not logged in; more upgrades are refused. */
  maxUnauthenticatedPerAddress: number
  /** Connections of an address that end before a login; past it, more upgrades are refused. */
  endedEarly: Limit
  /** A client that is silent for so long is pinged, and again every `pingEveryMs`. */
  pingAfterMs: number
  pingEveryMs: number
  /** A client that is silent for so long, and has left two pings unanswered, is closed. */
  closeSilentAfterMs: number
  /** From the end of a user's last connection until the user is offline. */
  offlineAfterMs: number
  /**
   * Bytes that are unsent, or of messages that clients have begun, of a person, an address and the process. Past them the
   * connection with the most is closed. A person is a user together with their bots (docs/gateway.md#limits).
   */
  maxBytesOfPerson: number
  maxBytesOfAddress: number
  maxBytesOfAll: number
  /** How often connections are checked for silence and for late logins. */
  sweepEveryMs: number
  /** How long a stop waits for queued data to be written. */
  stopWithinMs: number
  maxConnectionsPerUser: number
  maxConnectionsPerPerson: number
  /** Ids in the lists of op 6 of all connections of a person; past them, further lists are ignored. */
  maxWatchedOfPerson: number
  /** Frames from a client, without heartbeats. */
  maxFramesPerMinute: number
  /** What clients send in a minute, heartbeats and control frames included. */
  maxReceivedOfConnection: ReceivedLimit
  maxReceivedOfPerson: ReceivedLimit
  maxReceivedOfAddress: ReceivedLimit
  /** Connections of a person that are closed in a minute for what they have sent. Past it, further logins are refused. */
  maxRefusedOfPerson: number
  /** A connection that has sent less is not closed for what others of its person or address send. */
  freeOfConnection: ReceivedLimit
  /** While equal events keep coming, one of them is sent in each span of this length. */
  joinEventsForMs: number
  /** Bytes that op 6 and op 7 send to a person, and those of the rooms that a resume reads. Past it, the rest comes later. */
  answeredBytes: Limit
  /** Bytes that the changes of a person have delivered. Past it, further changes are refused. */
  deliveredBytes: Limit
}

const mebibyte = 1024 * 1024

/** Half of a heap that is smaller than 1 GiB. */
const maxBytesOfAll = Math.min(512 * mebibyte, getHeapStatistics().heap_size_limit / 2)

export const defaultSettings: GatewaySettings = {
  houseJoinDelayMs: 50,
  loginTimeoutMs: 30_000,
  maxUnauthenticatedPerAddress: 100,
  endedEarly: { burst: 100, refillMs: 1_000 },
  pingAfterMs: 45_000,
  pingEveryMs: 15_000,
  closeSilentAfterMs: 90_000,
  offlineAfterMs: 5_000,
  maxBytesOfPerson: 16 * mebibyte,
  maxBytesOfAddress: maxBytesOfAll / 2,
  maxBytesOfAll,
  sweepEveryMs: 1_000,
  stopWithinMs: 5_000,
  maxConnectionsPerUser: 50,
  maxConnectionsPerPerson: 200,
  maxWatchedOfPerson: 50_000,
  maxFramesPerMinute: 120,
  maxReceivedOfConnection: { frames: 1_200, bytes: 4 * mebibyte },
  maxReceivedOfPerson: { frames: 6_000, bytes: 8 * mebibyte },
  maxReceivedOfAddress: { frames: 60_000, bytes: 64 * mebibyte },
  maxRefusedOfPerson: 20,
  freeOfConnection: { frames: 60, bytes: 32 * 1024 },
  joinEventsForMs: 1_000,
  // 1 MiB a second.
  answeredBytes: { burst: 16 * 1024 * 1024, refillMs: 1_000 / 1024 ** 2 },
  deliveredBytes: deliveryLimit,
}

/** Where `RATE_LIMIT` is off, what clients send is bounded for each connection alone. */
export const settingsWithoutRateLimit: Partial<GatewaySettings> = {
  maxReceivedOfPerson: unlimited,
  maxReceivedOfAddress: unlimited,
  maxRefusedOfPerson: Number.POSITIVE_INFINITY,
}

/** Bytes of a frame from a client. */
export const maxFrameBytes = 64 * 1024
/** The most bytes of a frame before op 2 or op 11. */
export const maxEarlyFrameBytes = 4 * 1024
/** Fragments of a message, and chunks that wait for the end of a frame: each takes memory beyond its bytes. */
export const maxFragments = 16
export const maxBufferedChunks = 128
/** Bytes of the `d` of an event, so that no frame exceeds 3.5 MiB (existing clients refuse more than 4 MiB). */
export const maxEventBytes = 3.5 * 1024 * 1024 - 256
/** Unsent bytes of a connection; past them it is closed, and its client may resume. */
export const maxUnsentBytes = 8 * 1024 * 1024
/** Long sequences (the HOUSE_JOINs of a login, chunks) continue when fewer bytes are unsent. */
export const maxBufferedBytes = 1024 * 1024
/** Events that are buffered for a session until its login or resume is over. */
export const maxBufferedEvents = 20_000
/** Events that a resume reads, and those that it replays: a client that missed more logs in, which costs less. */
export const maxReadEvents = 10_000
export const maxReplayedEvents = 2_000
/** Members in HOUSE_JOIN and HOUSE_UPDATE; members and bytes of a HOUSE_MEMBERS_CHUNK, as members may have many roles. */
export const maxListedMembers = 2_500
export const maxChunkMembers = 1_000
export const maxChunkBytes = 1024 * 1024
/** Private rooms in INIT_STATE. */
export const maxPrivateRooms = 1_000
/** Ids of an op 6 that are looked up at once, and the bytes that one lookup counts as. */
export const maxPresencesAtOnce = 100
export const presenceLookupBytes = 256
/** The bytes that count for each room that a resume reads. */
export const resumedRoomBytes = 256
/** Ids in one op 6. */
export const maxWatchedUsers = 1_000
