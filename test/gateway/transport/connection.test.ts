import type { Duplex } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { defaultSettings } from '../../../src/gateway/settings.ts'
import { Connection, type ConnectionSocket } from '../../../src/gateway/transport/connection.ts'
import { payload } from '../../../src/gateway/transport/frames.ts'

const mebibyte = 1024 * 1024

/** The unsent bytes; the client reads when a test sets them. */
let unsent: number
let closed: string | undefined
let pings: number
let frames: number
let connection: Connection
let socket: ConnectionSocket
let listeners: Map<string, (data: Buffer) => void>
let isPaused: boolean
let onData: (chunk: Buffer) => void

afterEach(() => vi.restoreAllMocks())

beforeEach(() => {
  unsent = 0
  closed = undefined
  pings = 0
  frames = 0
  isPaused = false
  listeners = new Map()
  const stream = {
    cork() {},
    uncork() {},
    on(_name: string, listener: (chunk: Buffer) => void) {
      onData = listener.bind(stream)
    },
  }
  socket = {
    OPEN: 1,
    readyState: 1,
    on(name: string, listener: (data: Buffer) => void) {
      listeners.set(name, listener)
    },
    get bufferedAmount() {
      return unsent
    },
    send(frame: string) {
      unsent += Buffer.byteLength(frame)
    },
    pause() {
      isPaused = true
    },
    terminate() {},
    ping() {
      pings += 1
    },
    close(_code: number, reason: string) {
      closed = reason
    },
  } as unknown as ConnectionSocket
  connection = new Connection({
    socket,
    stream: stream as unknown as Duplex,
    encoding: 'text',
    address: '127.0.0.1',
    listener: {
      frame() {
        frames += 1
      },
      closing() {},
      closed() {},
    },
    settings: defaultSettings,
  })
})

/** Something arrives from the client. */
function receive(name: 'message' | 'ping' | 'pong', text = ''): void {
  listeners.get(name)!.call(socket, Buffer.from(text))
}

function send(mebibytes: number, exempt = false, character = 'x'): void {
  const d = character.repeat((mebibytes * mebibyte) / Buffer.byteLength(character))
  connection.send(1, payload('TYPING_START', d), exempt)
}

test('HOUSE_JOINs of a login neither count towards the unsent bytes nor raise the bound', () => {
  for (let count = 0; count < 20; count++) {
    send(3, true)
    unsent = mebibyte
  }
  for (let count = 0; count < 7; count++) send(1)
  expect(closed).toBeUndefined()
  send(1)
  send(1)
  expect(closed).toBe('slow_consumer')
})

test('exempt frames with multi-byte characters do not count as unsent', () => {
  for (let count = 0; count < 8; count++) send(3, true, '語')
  expect(closed).toBeUndefined()
})

test('unread heartbeat acks count as unsent', () => {
  connection.acknowledgeHeartbeats()
  unsent = 8 * mebibyte - 100
  receive('message', '{"op":3}')
  expect(closed).toBeUndefined()
  for (let count = 0; count < 100; count++) receive('message', '{"op":3}')
  expect(closed).toBe('slow_consumer')
})

test('unread pongs count as unsent', () => {
  unsent = 8 * mebibyte
  receive('ping')
  expect(closed).toBeUndefined()
  unsent += 1
  receive('ping')
  expect(closed).toBe('slow_consumer')
})

/** Looks at the client when it was silent for so long, in seconds. */
function checkAfter(...seconds: number[]): void {
  const silentSince = Math.ceil(performance.now())
  for (const each of seconds) connection.checkAlive(silentSince + each * 1_000)
}

test('pings a silent client three times, and closes it after 90 s', () => {
  checkAfter(30)
  expect(pings).toBe(0)
  checkAfter(45, 50, 60, 75, 80)
  expect([pings, closed]).toEqual([3, undefined])
  checkAfter(90)
  expect([pings, closed]).toEqual([3, 'heartbeat_missing'])
})

test('pings a client twice that was silent as long as the process stood still, before it closes it', () => {
  checkAfter(200, 201)
  expect([pings, closed]).toEqual([1, undefined])
  receive('pong')
  checkAfter(400, 415)
  expect([pings, closed]).toEqual([3, undefined])
  checkAfter(416)
  expect(closed).toBe('heartbeat_missing')
})

/** Does something every so many seconds for an hour, and looks at the client each time before. */
function everySeconds(seconds: number, act: () => void): void {
  const beganMs = Math.ceil(performance.now())
  const clock = vi.spyOn(performance, 'now')
  for (let passed = seconds; passed <= 3_600; passed += seconds) {
    clock.mockReturnValue(beganMs + passed * 1_000)
    connection.checkAlive(performance.now())
    act()
  }
  clock.mockRestore()
}

test('never pings a client that heartbeats', () => {
  everySeconds(30, () => receive('message', '{"op":3}'))
  expect([pings, closed]).toEqual([0, undefined])
})

test('pings of a client keep it alive', () => {
  everySeconds(80, () => receive('ping'))
  expect(closed).toBeUndefined()
})

test('accepts 120 frames in each minute', () => {
  everySeconds(60, () => {
    for (let count = 0; count < 120; count += 1) receive('message', '{"op":4}')
  })
  expect([frames, closed]).toEqual([60 * 120, undefined])
})

/** A chunk arrives from the client, and ws reads the frames in it. */
function receiveChunk(bytes: number, ...messages: string[]): void {
  for (const each of messages) receive('message', each)
  onData(Buffer.alloc(bytes))
}

test('heartbeats, pings and pongs count: the 1,201st frame of a minute closes with 4008', () => {
  vi.spyOn(performance, 'now').mockReturnValue(60_000)
  for (const name of ['message', 'ping', 'pong'] as const) {
    for (let count = 0; count < 400; count += 1) receive(name, '{"op":3}')
  }
  expect([closed, isPaused]).toEqual([undefined, false])
  receive('pong')
  expect([closed, isPaused]).toEqual(['rate_limit', true])
})

test('bytes count: more than 4 MiB in a minute close with 4008', () => {
  vi.spyOn(performance, 'now').mockReturnValue(60_000)
  connection.beginLogin()
  for (let count = 0; count < 64; count += 1) receiveChunk(64 * 1024 - 256, '{"op":3}')
  expect(closed).toBeUndefined()
  receiveChunk(1)
  expect([closed, isPaused]).toEqual(['rate_limit', true])
})

test('small chunks count: a byte in each closes with 4008 after 16,320 of them', () => {
  vi.spyOn(performance, 'now').mockReturnValue(60_000)
  connection.beginLogin()
  for (let count = 0; count < 16_320; count += 1) receiveChunk(1)
  expect(closed).toBeUndefined()
  receiveChunk(1)
  expect([closed, isPaused]).toEqual(['rate_limit', true])
})

test('never closes a client that heartbeats every second', () => {
  everySeconds(1, () => receiveChunk(14, '{"op":3}'))
  expect(closed).toBeUndefined()
})

test('a message that has begun counts as buffered until it has ended', () => {
  connection.beginLogin()
  receiveChunk(1_000)
  receiveChunk(1_000)
  expect(connection.countBuffered() - unsent).toBe(2_000 + 2 * 512)
  // A ping between fragments ends no message.
  receive('ping')
  receiveChunk(6)
  expect(connection.countBuffered() - unsent).toBe(2_000 + 3 * 512)
  const rest = 2_000
  receiveChunk(rest, `{"op":3,"d":"${'x'.repeat(3_992 - 14)}"}`)
  expect(connection.countBuffered() - unsent).toBe(0)
})

test('bytes after a whole frame belong to the next one', () => {
  receiveChunk(20, '{"op":3}')
  expect(connection.countBuffered() - unsent).toBe(6 + 512)
  receiveChunk(8, '{"op":3}')
  expect(connection.countBuffered() - unsent).toBe(0)
})

test('closes with 4008 for a frame over 4 KiB before op 2, whole or not', () => {
  receiveChunk(4_096)
  expect(closed).toBeUndefined()
  receiveChunk(1)
  expect([closed, isPaused]).toEqual(['rate_limit', true])
})

test('reads nothing of a client that is closed for another reason and goes on sending', () => {
  vi.spyOn(performance, 'now').mockReturnValue(60_000)
  receive('message', 'no JSON')
  expect([closed, isPaused]).toEqual(['bad_frame', false])
  for (let count = 0; count < 1_200; count += 1) receive('pong')
  expect([closed, isPaused]).toEqual(['bad_frame', true])
})
