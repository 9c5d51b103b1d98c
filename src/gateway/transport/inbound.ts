import type { GatewaySettings } from '../settings.ts'
import { Received } from './received.ts'
import type { Share } from './share.ts'

/** Bytes that a chunk takes in memory besides its own. */
const chunkBytes = 512
/** Bytes that a chunk counts for besides its own, because handling it takes time. */
const bytesPerChunk = 256
const minuteMs = 60_000
/** Shared by the thousands of connections that only listen. */
const noTimes: number[] = []

/** Counts what a client sends. */
export class Inbound {
  readonly #settings: GatewaySettings
  readonly #received = new Received()
  /** The times of the frames that are neither heartbeats nor control frames, in ms. */
  #requestTimes = noTimes
  /** Bytes and chunks of a message that has begun. */
  #unfinishedBytes = 0
  #unfinishedChunks = 0
  /** Bytes of frames that have ended in the present chunk. */
  #endedBytes = 0
  #hasEndedMessage = false

  constructor(settings: GatewaySettings) {
    this.#settings = settings
  }

  /** The bytes of a message that has begun, without the overhead of its chunks. */
  get unfinishedBytes(): number {
    return this.#unfinishedBytes
  }

  /** The memory of a message that has begun, in bytes. */
  get bufferedBytes(): number {
    return this.#unfinishedBytes + this.#unfinishedChunks * chunkBytes
  }

  /** Counts a frame: one that ends a message of so many bytes, or a control frame. */
  countFrame(nowMs: number, payloadBytes: number, endsMessage: boolean, shares: readonly Share[]): void {
    this.#endedBytes += payloadBytes + headerBytes(payloadBytes)
    this.#hasEndedMessage ||= endsMessage
    this.#count(nowMs, 1, 0, shares)
  }

  /** Counts a chunk, once its frames are counted. */
  countChunk(nowMs: number, bytes: number, shares: readonly Share[]): void {
    const left = Math.max(0, this.#unfinishedBytes + bytes - this.#endedBytes)
    // Fragments have headers of their own: where a message has ended, what is left lies within this chunk.
    this.#unfinishedBytes = this.#hasEndedMessage ? Math.min(left, bytes) : left
    const chunksBefore = this.#hasEndedMessage ? 0 : this.#unfinishedChunks
    this.#unfinishedChunks = this.#unfinishedBytes === 0 ? 0 : chunksBefore + 1
    this.#endedBytes = 0
    this.#hasEndedMessage = false
    this.#count(nowMs, 0, bytes + bytesPerChunk, shares)
  }

  /** Counts a frame other than a heartbeat. Returns whether it is one too many in a minute. */
  isRequestTooMuch(nowMs: number): boolean {
    // `concat` reserves no space: most clients log in and send nothing else.
    this.#requestTimes = this.#requestTimes.concat(nowMs)
    if (this.#requestTimes.length <= this.#settings.maxFramesPerMinute) return false
    return nowMs - this.#requestTimes.shift()! < minuteMs
  }

  /** Whether this client or its shares have sent too much in this minute. The shares count only past the free amount. */
  isTooMuch(shares: readonly Share[]): boolean {
    const { maxReceivedOfConnection, freeOfConnection } = this.#settings
    if (!this.#received.exceeds(freeOfConnection)) return false
    if (this.#received.exceeds(maxReceivedOfConnection)) return true
    return shares.some(({ received, maxReceived }) => received.exceeds(maxReceived))
  }

  #count(nowMs: number, frames: number, bytes: number, shares: readonly Share[]): void {
    this.#received.add(nowMs, frames, bytes)
    for (const { received } of shares) received.add(nowMs, frames, bytes)
  }
}

/** The bytes of the header of a frame from a client, which has a mask. */
function headerBytes(payloadBytes: number): number {
  if (payloadBytes < 126) return 6
  return payloadBytes < 65_536 ? 8 : 14
}
