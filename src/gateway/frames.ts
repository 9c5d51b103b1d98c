import { deflateSync } from 'node:zlib'
import type { EventName } from './schemas.ts'

/** The interval of the clients' heartbeats; it must fit into 16 bits. */
const heartbeatIntervalMs = 30_000

export type Encoding = 'text' | 'zlib'

/** The name and `d` of an event, serialized once for all who are sent the same. */
export type Payload = {
  readonly name: EventName
  readonly json: string
  /** The length of `json`, set where `json` is put together anew at each use. */
  readonly length?: number
  /** The part of the length that is not shared with other payloads, where parts are shared. */
  readonly ownLength?: number
  /** The end of the frame, compressed; made when the first zlib connection needs it. */
  deflatedEnd?: DeflatedEnd
  /** How many sessions keep it for a replay, and its number there. */
  keepers?: number
  number?: number
  /** How many of them have no connection. */
  detachedKeepers?: number
}

/** Blocks of a zlib stream without its header, with the checksum and the length of their contents. */
type DeflatedEnd = { blocks: Buffer; checksum: number; length: number }

const helloText = `{"op":1,"d":{"hbt_int":${heartbeatIntervalMs}}}`
const heartbeatAckText = '{"op":12}'

/** The very first frame. */
export const hello = { text: helloText, zlib: deflateSync(helloText) }
/** The answer to a heartbeat, for clients that asked for it. */
export const heartbeatAck = { text: heartbeatAckText, zlib: deflateSync(heartbeatAckText) }

/** Bigger payloads are compressed at a lower level, so as not to block the process. */
const bigPayloadBytes = 32 * 1024
const checksumBase = 65_521

/** Serializes an event. */
export function payload(name: EventName, d: unknown): Payload {
  return { name, json: JSON.stringify(d) }
}

/** The size of a payload that is kept, in characters. */
export function lengthOf(event: Payload): number {
  return event.length ?? event.json.length
}

/**
 * The frame of an event as one JSON text. The order of the keys is a must, and there is no other key (existing clients
 * need this because one reads the frame as a stream and ends on `d` before `op`).
 */
export function textFrame(seq: number, { name, json }: Payload): string {
  return `${frameStart(seq, name)}${json}}`
}

/**
 * The same frame as a complete zlib stream (RFC 1950). Only the few bytes before the payload differ per connection:
 * they go in as a stored block, and the compressed blocks behind them are shared by all.
 */
export function zlibFrame(seq: number, event: Payload): Buffer {
  const end = event.deflatedEnd ?? deflateEnd(event.json)
  // A payload with shared parts is for one receiver: its compressed form is not kept.
  if (event.ownLength === undefined) event.deflatedEnd = end
  const { blocks, checksum, length } = end
  const start = Buffer.from(frameStart(seq, event.name), 'latin1')
  const frame = Buffer.allocUnsafe(7 + start.length + blocks.length + 4)
  frame.writeUInt16BE(0x789c, 0)
  frame.writeUInt8(0, 2)
  frame.writeUInt16LE(start.length, 3)
  frame.writeUInt16LE(~start.length & 0xffff, 5)
  start.copy(frame, 7)
  blocks.copy(frame, 7 + start.length)
  frame.writeUInt32BE(joinChecksums(checksumOf(start), checksum, length), frame.length - 4)
  return frame
}

function frameStart(seq: number, name: EventName): string {
  return `{"seq":${seq},"op":0,"e":"${name}","d":`
}

function deflateEnd(json: string): DeflatedEnd {
  const end = Buffer.from(`${json}}`)
  const stream = deflateSync(end, { level: end.length > bigPayloadBytes ? 1 : 6 })
  const checksum = stream.readUInt32BE(stream.length - 4)
  return { blocks: stream.subarray(2, -4), checksum, length: end.length }
}

/** Adler-32. */
function checksumOf(bytes: Buffer): number {
  let [low, high] = [1, 0]
  for (const byte of bytes) {
    low = (low + byte) % checksumBase
    high = (high + low) % checksumBase
  }
  return ((high << 16) | low) >>> 0
}

/** The Adler-32 of two texts in a row, of which the second is `length` bytes long. */
function joinChecksums(first: number, second: number, length: number): number {
  const low = ((first & 0xffff) + (second & 0xffff) + checksumBase - 1) % checksumBase
  const shifted = ((length % checksumBase) * (first & 0xffff)) % checksumBase
  const high =
    (shifted + (first >>> 16) + (second >>> 16) + checksumBase - (length % checksumBase)) % checksumBase
  return ((high << 16) | low) >>> 0
}
