import type { Duplex } from 'node:stream'
import { beforeEach, expect, test } from 'vitest'
import { Connection, type ConnectionSocket } from '../../src/gateway/connection.ts'
import { payload } from '../../src/gateway/frames.ts'
import { defaultSettings } from '../../src/gateway/settings.ts'

const mebibyte = 1024 * 1024

/** What waits to be written to a client who reads when the test says so. */
let waiting: number
let closed: string | undefined
let connection: Connection
let socket: ConnectionSocket
let listeners: Map<string, (data: Buffer) => void>

beforeEach(() => {
  waiting = 0
  closed = undefined
  listeners = new Map()
  socket = {
    OPEN: 1,
    readyState: 1,
    on(name: string, listener: (data: Buffer) => void) {
      listeners.set(name, listener)
    },
    get bufferedAmount() {
      return waiting
    },
    send(frame: string) {
      waiting += Buffer.byteLength(frame)
    },
    close(_code: number, reason: string) {
      closed = reason
    },
  } as unknown as ConnectionSocket
  connection = new Connection({
    socket,
    stream: { cork() {}, uncork() {} } as Duplex,
    encoding: 'text',
    address: '127.0.0.1',
    listener: { frame() {}, closed() {} },
    settings: defaultSettings,
  })
})

/** What comes from the client. */
function hear(name: 'message' | 'ping', text = ''): void {
  listeners.get(name)!.call(socket, Buffer.from(text))
}

function send(mebibytes: number, exempt = false, character = 'x'): void {
  const d = character.repeat((mebibytes * mebibyte) / Buffer.byteLength(character))
  connection.send(1, payload('TYPING_START', d), exempt)
}

test('what was written of the HOUSE_JOINs of a login does not raise the bound of unsent data', () => {
  for (let count = 0; count < 20; count++) {
    send(3, true)
    waiting = mebibyte
  }
  for (let count = 0; count < 7; count++) send(1)
  expect(closed).toBeUndefined()
  send(1)
  send(1)
  expect(closed).toBe('slow_consumer')
})

test('a replay in letters of several bytes does not count as unsent data either', () => {
  for (let count = 0; count < 8; count++) send(3, true, '語')
  expect(closed).toBeUndefined()
})

test('the answers to the heartbeats of a client who reads none of them count as unsent data', () => {
  connection.acknowledgeHeartbeats()
  waiting = 8 * mebibyte - 100
  hear('message', '{"op":3}')
  expect(closed).toBeUndefined()
  for (let count = 0; count < 100; count++) hear('message', '{"op":3}')
  expect(closed).toBe('slow_consumer')
})

test('the answers to pings, which the socket sends by itself, count as unsent data too', () => {
  waiting = 8 * mebibyte
  hear('ping')
  expect(closed).toBeUndefined()
  waiting += 1
  hear('ping')
  expect(closed).toBe('slow_consumer')
})
