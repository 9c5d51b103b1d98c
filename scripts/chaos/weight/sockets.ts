import { connect, type Socket } from 'node:net'
import { encode, opcode } from '../frames/raw-socket.ts'
import { upgradeHead } from './session.ts'

/** What a socket sends once it is open, and logged in if it has a token. */
export type Sending =
  | 'nothing'
  | 'goodbye'
  | 'fragments'
  | 'single bytes'
  | 'heartbeats'
  | 'large heartbeats'
  | 'pongs'

/** A number of gateway sockets, with a token or without. They are opened again when they are closed. */
export type SocketOrder = {
  kind: 'sockets'
  from: string
  token: string | null
  count: number
  sending: Sending
}

const fragments = 16_384
const restAfterCloseMs = 250
const restAfterOpenMs = 20
const openedAtOnce = 10
const blockBytes = 64 * 1024
const trickleMs = 10

const heartbeat = encode({ opcode: opcode.text, payload: Buffer.from('{"op":3}') })
const largeHeartbeat = encode({
  opcode: opcode.text,
  payload: Buffer.from(`{"op":3,"d":${'['.repeat(32_000)}${']'.repeat(32_000)}}`),
})
const pong = encode({ opcode: opcode.pong })
const pieces = [
  encode({ opcode: opcode.text, payload: Buffer.from('{'), fin: false }),
  ...Array.from({ length: fragments - 2 }, () =>
    encode({ opcode: opcode.continuation, payload: Buffer.from(' '), fin: false }),
  ),
]
const once = Buffer.concat(pieces)
const longHead = encode({ opcode: opcode.text, claims: 60_000n })

/** Keeps the sockets of an order open until the process ends. `change` receives each change of their number. */
export async function keepSockets(
  port: number,
  { from, token, count, sending }: SocketOrder,
  note: (answer: string) => void,
  change: (by: 1 | -1) => void,
): Promise<void> {
  let open = 0
  const openOne = () => {
    open += 1
    let isIn = false
    const socket = connect({ port, host: '127.0.0.1', localAddress: from }, () => {
      socket.setNoDelay()
      socket.write(upgradeHead)
      if (token !== null) socket.write(login(token))
      else begin()
    })
    const begin = () => {
      isIn = true
      change(1)
      send(socket, sending)
    }
    socket.once('data', (bytes) => note(/^HTTP\/1.1 ([0-9]{3})/.exec(String(bytes))?.[1] ?? 'odd'))
    socket.on('data', (bytes) => {
      if (!isIn && bytes.includes('"e":"INIT_STATE"')) begin()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      open -= 1
      if (isIn) change(-1)
    })
  }
  for (;;) {
    const missing = Math.min(openedAtOnce, count - open)
    for (let n = 0; n < missing; n += 1) openOne()
    await new Promise((resolve) => setTimeout(resolve, missing > 0 ? restAfterOpenMs : restAfterCloseMs))
  }
}

function login(token: string): Buffer {
  const payload = Buffer.from(JSON.stringify({ op: 2, d: { token, extended: true } }))
  return encode({ opcode: opcode.text, payload })
}

function send(socket: Socket, sending: Sending): void {
  if (sending === 'goodbye') socket.once('data', () => socket.destroy())
  if (sending === 'fragments') socket.write(once)
  if (sending === 'single bytes') trickle(socket)
  if (sending === 'heartbeats') flood(socket, heartbeat)
  if (sending === 'large heartbeats') flood(socket, largeHeartbeat)
  if (sending === 'pongs') flood(socket, pong)
}

/** Sends a frame over and over, as fast as the other side takes it. */
function flood(socket: Socket, frame: Buffer): void {
  const block = Buffer.concat(Array(Math.ceil(blockBytes / frame.length)).fill(frame))
  const go = () => {
    while (!socket.destroyed && socket.write(block));
  }
  socket.on('drain', go)
  go()
}

/** Sends a frame byte by byte, each in a packet of its own. */
function trickle(socket: Socket): void {
  socket.write(longHead)
  const timer = setInterval(() => socket.write('x'), trickleMs)
  socket.on('close', () => clearInterval(timer))
}
