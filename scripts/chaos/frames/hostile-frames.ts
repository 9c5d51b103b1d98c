import { isUtf8 } from 'node:buffer'
import { deflateRawSync, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { brokenJson, hostileJson, hostileString } from '../requests/values.ts'
import { encode, opcode } from './raw-socket.ts'

const maxBytes = 64 * 1024
const closed = { badFrame: 4002, protocol: 1002, tooManyPieces: 1008, tooBig: 1009, tooMuch: 4008 } as const

/** The bytes to write, and the expected close code: null when the connection must stay open. */
export type Attack = { bytes: Buffer; code: number | null; what: string }

/** What the frames may name that is there. */
export type Known = { token: string; houseId: string; userIds: string[]; sessionId: string }

const opcodes = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', '-1', '255']
const oddOpcodes = [
  '6.0',
  '7e0',
  '-0',
  '1e21',
  '9007199254740993',
  '5.5',
  '"6"',
  'null',
  'true',
  '[6]',
  '{}',
  '1e400',
]

/** Frames with a known or an odd `op` and any `d`. */
const anyOp = fc
  .tuple(
    fc.constantFrom(...opcodes, ...opcodes, ...opcodes, ...oddOpcodes),
    hostileJson,
    fc.constantFrom('', '', '"op":3,', '"__proto__":{"op":2},', '"d":{},'),
  )
  .map(([op, d, before]) => `{${before}"op":${op},"d":${d}}`)

/** Requests that are nearly right. */
function nearlyRight({ token, houseId, userIds, sessionId }: Known) {
  const ids = fc.oneof(
    fc.array(fc.oneof(fc.constantFrom(...userIds), hostileString), { maxLength: 20 }),
    fc.constantFrom(userIds, [], [null], [1], [[]], Array(1_001).fill(userIds[0]), Array(2_000).fill('1')),
    hostileString,
  )
  const houses = fc.oneof(fc.constant(houseId), hostileString, fc.constantFrom(null, 5, [houseId], {}))
  const seqs = fc.constantFrom(0, 1, -1, 1e9, 2 ** 53, 1.5, null, '1', [], {})
  const tokens = fc.oneof(fc.constantFrom(token, `Bot ${token}`, token.slice(1)), hostileString)
  return fc
    .oneof(
      fc.record({ op: fc.constant(6), d: fc.record({ user_ids: ids }) }),
      fc.record({ op: fc.constant(7), d: fc.record({ house_id: houses, user_ids: ids }) }),
      fc.record({ op: fc.constant(2), d: fc.record({ token: tokens, extended: seqs }) }),
      fc.record({
        op: fc.constant(11),
        d: fc.record({
          session_id: fc.oneof(fc.constant(sessionId), hostileString),
          seq: seqs,
          token: tokens,
        }),
      }),
    )
    .map((frame) => JSON.stringify(frame))
}

/** What is no frame at all, or too big a one. */
function garbage({ token }: Known) {
  const login = JSON.stringify({ op: 2, d: { token } })
  return fc.oneof(
    brokenJson.map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(
      deflateSync(login),
      deflateRawSync(login),
      Buffer.from([0xff, 0xfe, 0x7b, 0x00]),
      Buffer.from(login, 'utf16le'),
      Buffer.from(`{"op":3,"d":"${'x'.repeat(maxBytes)}"}`),
      Buffer.alloc(0),
    ),
  )
}

/** One message, whole or in pieces with pings between them, as text or binary. */
const shape = fc.record({
  binary: fc.boolean(),
  pieces: fc.constantFrom(1, 1, 1, 2, 5),
  pings: fc.boolean(),
})

/** Random messages to a connection that has logged in; one in so many is garbage. */
export function hostileMessages(known: Known): fc.Arbitrary<Attack> {
  const texts = fc.oneof(anyOp, nearlyRight(known)).map((text) => Buffer.from(text))
  const payloads = fc.oneof({ weight: 60, arbitrary: texts }, { weight: 1, arbitrary: garbage(known) })
  return fc.tuple(payloads, shape).map(([payload, { binary, pieces, pings }]) => ({
    bytes: inPieces(payload, binary ? opcode.binary : opcode.text, pieces, pings),
    code: verdict(payload),
    what: payload.toString('latin1', 0, 200),
  }))
}

/** The close code of docs/gateway.md#frames for a message, worked out apart from the server; null if none. */
function verdict(payload: Buffer): number | null {
  if (payload.length > maxBytes) return closed.tooBig
  if (!isUtf8(payload)) return closed.badFrame
  try {
    const value = JSON.parse(payload.toString())
    const isFrame = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isFrame && Number.isInteger(value.op) ? null : closed.badFrame
  } catch {
    return closed.badFrame
  }
}

function inPieces(payload: Buffer, kind: number, pieces: number, pings: boolean): Buffer {
  const size = Math.ceil(payload.length / pieces)
  const frames = Array.from({ length: pieces }, (_none, index) => {
    const fin = index === pieces - 1
    const part = payload.subarray(index * size, fin ? undefined : (index + 1) * size)
    const frame = encode({ opcode: index === 0 ? kind : opcode.continuation, payload: part, fin })
    return pings && !fin ? [frame, encode({ opcode: opcode.ping, payload: Buffer.from('p') })] : [frame]
  })
  return Buffer.concat(frames.flat())
}

const beat = Buffer.from('{"op":3}')
const zeros = (length: number) => Buffer.alloc(length, 0x20)

/** What breaks the websocket protocol itself, or the bounds of a message. */
export const brokenFrames: Attack[] = [
  ...[1, 2, 3, 4, 7].map((reserved) => ({
    what: `reserved bits ${reserved}`,
    bytes: encode({ opcode: opcode.text, payload: deflateRawSync(beat), reserved }),
    code: closed.protocol,
  })),
  ...[3, 7, 11, 15].map((kind) => ({
    what: `opcode ${kind}`,
    bytes: encode({ opcode: kind, payload: beat }),
    code: closed.protocol,
  })),
  {
    what: 'no mask',
    bytes: encode({ opcode: opcode.text, payload: beat, masked: false }),
    code: closed.protocol,
  },
  { what: 'a continuation of nothing', bytes: encode({ opcode: 0, payload: beat }), code: closed.protocol },
  {
    what: 'a message within a message',
    bytes: Buffer.concat([
      encode({ opcode: 1, payload: beat, fin: false }),
      encode({ opcode: 1, payload: beat }),
    ]),
    code: closed.protocol,
  },
  { what: 'a ping in pieces', bytes: encode({ opcode: opcode.ping, fin: false }), code: closed.protocol },
  { what: 'a long ping', bytes: encode({ opcode: opcode.ping, payload: zeros(126) }), code: closed.protocol },
  { what: 'half a close', bytes: encode({ opcode: opcode.close, payload: zeros(1) }), code: closed.protocol },
  ...[0, 999, 1004, 1005, 1006, 5000].map((code) => ({
    what: `close ${code}`,
    bytes: encode({ opcode: opcode.close, payload: Buffer.from([code >> 8, code & 255]) }),
    code: closed.protocol,
  })),
  ...[65_537n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 64n - 1n].map((claims) => ({
    what: `${claims} bytes announced`,
    bytes: encode({ opcode: opcode.binary, claims }),
    code: closed.tooBig,
  })),
  {
    what: 'text that is no UTF-8',
    bytes: encode({ opcode: opcode.text, payload: Buffer.from('{"op":3,"d":"\xff"}', 'latin1') }),
    code: closed.badFrame,
  },
  {
    what: 'too much in pieces',
    bytes: Buffer.concat([
      encode({ opcode: 1, payload: zeros(40_000), fin: false }),
      encode({ opcode: 0, payload: zeros(40_000), fin: false }),
    ]),
    code: closed.tooBig,
  },
  {
    what: 'ten thousand empty pieces',
    bytes: Buffer.concat([
      encode({ opcode: 1, fin: false }),
      ...Array.from({ length: 10_000 }, () => encode({ opcode: 0, fin: false })),
      encode({ opcode: 0, payload: Buffer.from('{"op":3}') }),
    ]),
    code: closed.tooManyPieces,
  },
  {
    what: 'as deep as it goes',
    bytes: encode({
      opcode: 1,
      payload: Buffer.from(`{"op":6,"d":${'['.repeat(32_000)}${']'.repeat(32_000)}}`),
    }),
    code: null,
  },
  {
    what: 'as much as it takes',
    bytes: encode({ opcode: 1, payload: Buffer.from(`{"op":3,"d":"${'x'.repeat(maxBytes - 16)}"}`) }),
    code: null,
  },
  {
    what: 'a flood of pings',
    bytes: Buffer.concat(
      Array.from({ length: 5_000 }, () => encode({ opcode: opcode.ping, payload: zeros(125) })),
    ),
    code: closed.tooMuch,
  },
]

/** Logins that must fail, each with the code. */
export function failingLogins(known: Known): Attack[] {
  const login = (op: 2 | 11, d: unknown, code: number): Attack => {
    const text = JSON.stringify({ op, d })
    return {
      what: text.slice(0, 200),
      code,
      bytes: encode({ opcode: opcode.text, payload: Buffer.from(text) }),
    }
  }
  const noTokens = [
    '',
    'x',
    'f'.repeat(128),
    `${known.token}0`,
    `Bot ${known.token} x`,
    null,
    5,
    [],
    {},
    true,
  ]
  const { token, sessionId: session_id } = known
  return [
    ...noTokens.flatMap((faulty) => [
      login(2, { token: faulty }, 4003),
      login(11, { token: faulty, session_id, seq: 1 }, 4003),
    ]),
    ...[undefined, null, 5, 'x', [], [[]]].flatMap((d) => [login(2, d, 4003), login(11, d, 4003)]),
    ...['', 'x', '0'.repeat(32), null, 5, ['x'], { toString: 1 }, '__proto__'].map((id) =>
      login(11, { token, session_id: id, seq: 1 }, 4009),
    ),
    ...[-1, 1.5, 1e9, null, '1', [], {}].map((seq) => login(11, { token, session_id, seq }, 4009)),
  ]
}
