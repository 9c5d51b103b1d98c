import { deflateSync } from 'node:zlib'
import type { EventName } from '../schemas.ts'

/** Of the clients; it must fit into 16 bits. */
const heartbeatIntervalMs = 30_000

/** The opcodes of frames from the client that are not ignored. */
export const opcode = { logIn: 2, heartbeat: 3, watchPresences: 6, listMembers: 7, resume: 11 } as const

export type Encoding = 'text' | 'zlib'

/** The name and `d` of an event, serialized once for all receivers of the same. */
export type Payload = {
  readonly name: EventName
  readonly json: string
  /** The compressed end of the frame, made when the first zlib connection needs it. */
  deflatedEnd?: DeflatedEnd
  /** The end of a large frame as UTF-8, made when the first text connection needs it. */
  encodedEnd?: Buffer
  /** The frames that were made last: what waits for several connections is in memory once. */
  lastFrames?: Partial<Record<Encoding, { seq: number; frame: string | Buffer }>>
}

/** Blocks of a zlib stream without a header, with the checksum and the length of their contents. */
type DeflatedEnd = { blocks: Buffer; checksum: number; length: number }

const helloText = `{"op":1,"d":{"hbt_int":${heartbeatIntervalMs}}}`
const heartbeatAckText = '{"op":12}'

/** The first frame of a connection. */
export const hello = { text: helloText, zlib: deflateSync(helloText) }
/** The answer to the heartbeat of an extended client. */
export const heartbeatAck = { text: heartbeatAckText, zlib: deflateSync(heartbeatAckText) }

/** Larger payloads are compressed at a lower level, as compression blocks the process. */
const bigPayloadBytes = 32 * 1024
const checksumBase = 65_521

/** Serializes an event. */
export function payload(name: EventName, d: unknown): Payload {
  return { name, json: JSON.stringify(d) }
}

/** The frame of an event as JSON. Keys and their order are fixed (an existing client fails on `d` before `op`). */
export function textFrame(seq: number, { name, json }: Payload): string {
  return `${frameStart(seq, name)}${json}}`
}

/** The frame of an event as it is passed to ws, made once for all receivers with the same encoding and number. */
export function sharedFrame(encoding: Encoding, seq: number, event: Payload): string | Buffer {
  const last = event.lastFrames?.[encoding]
  if (last?.seq === seq) return last.frame
  const frame = encoding === 'text' ? encodedTextFrame(seq, event) : zlibFrame(seq, event)
  event.lastFrames = { ...event.lastFrames, [encoding]: { seq, frame } }
  return frame
}

/**
 * The same frame as it is passed to ws. A string with a character past Latin-1 takes two bytes a character in memory, but
 * ws counts one; a large payload is encoded once for all receivers.
 */
export function encodedTextFrame(seq: number, event: Payload): string | Buffer {
  const { name, json } = event
  if (json.length > bigPayloadBytes) {
    event.encodedEnd ??= Buffer.from(`${json}}`)
    return Buffer.concat([Buffer.from(frameStart(seq, name)), event.encodedEnd])
  }
  const frame = textFrame(seq, event)
  return Buffer.byteLength(frame) === frame.length ? frame : Buffer.from(frame)
}

/**
 * The same frame as a complete zlib stream (RFC 1950). The few bytes before the payload differ by connection and become a
 * stored block; the compressed blocks after them are shared.
 */
export function zlibFrame(seq: number, event: Payload): Buffer {
  event.deflatedEnd ??= deflateEnd(event.json)
  const { blocks, checksum, length } = event.deflatedEnd
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

/** The Adler-32 of two texts in a row; the second has `length` bytes. */
function joinChecksums(first: number, second: number, length: number): number {
  const low = ((first & 0xffff) + (second & 0xffff) + checksumBase - 1) % checksumBase
  const shifted = ((length % checksumBase) * (first & 0xffff)) % checksumBase
  const high =
    (shifted + (first >>> 16) + (second >>> 16) + checksumBase - (length % checksumBase)) % checksumBase
  return ((high << 16) | low) >>> 0
}

/** The JSON texts of as many items as fit into so many bytes, each with a comma, and of one at least. */
export function textsWithin<Item>(
  maxBytes: number,
  items: readonly Item[],
  write: (item: Item) => string,
): string[] {
  const texts: string[] = []
  let left = maxBytes
  for (const item of items) {
    const text = write(item)
    left -= Buffer.byteLength(text) + 1
    if (left < 0 && texts.length > 0) break
    texts.push(text)
  }
  return texts
}
