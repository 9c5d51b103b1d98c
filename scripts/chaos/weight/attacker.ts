// A separate process that attacks a server until its parent disconnects, so that it does not distort the measurement.
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { constants, setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type Body, makeBody } from './bodies.ts'
import { type Afterwards, openSession } from './session.ts'
import { keepSockets, type SocketOrder } from './sockets.ts'

/** A request that is sent over and over. In its path and text, `{n}` is a new number each time. */
export type Asked = { method: string; path: string; body?: Body }

/** What the attacker does. Each order goes on until the process is left alone. */
export type Order =
  /** Sends requests in turn, so many at once, without waiting but after a 429. */
  | { kind: 'requests'; from: string; token: string | null; atOnce: number; asked: Asked[] }
  /** Logs in, sends the frames after its houses, and then does what `afterwards` says. A closed session logs in again. */
  | { kind: 'session'; token: string; frames: string[]; afterwards: Afterwards }
  | SocketOrder
  /**
   * Opens connections, some at once, and sends one text on each. Closed ones are opened again. `isUnread`: only the
   * beginning of an answer is read.
   */
  | {
      kind: 'open connections'
      from: string
      count: number
      atOnce: number
      text: string
      isUnread?: boolean
    }

/** The answers by status, the connections that are open, and the largest frame of the gateway. */
export type Toll = { answers: Record<string, number>; open: number; largestFrameBytes: number }

// Attackers are on other machines: this process takes no processor away from the server.
setPriority(constants.priority.PRIORITY_LOW)

const restAfterRefusalMs = 25
/** Before a connection that was closed is opened again. */
const restAfterCloseMs = 250
/** Between connections that are opened at once. */
const restAfterOpenMs = 50

const toll: Toll = { answers: {}, open: 0, largestFrameBytes: 0 }
let port = 0
let numbers = 0

function note(answer: string | number): void {
  toll.answers[answer] = (toll.answers[answer] ?? 0) + 1
}

function send({ method, path, body }: Asked, token: string | null, agent: Agent): Promise<number> {
  numbers += 1
  const payload = body && makeBody(body, numbers)
  const headers: Record<string, string | number> = token === null ? {} : { authorization: token }
  if (payload)
    Object.assign(headers, { 'content-type': 'application/json', 'content-length': payload.length })
  const options = { host: '127.0.0.1', port, method, path: path.replace('{n}', `${numbers}`), headers, agent }
  return new Promise((resolve) => {
    const request = httpRequest(options, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode!))
      answer.on('error', () => resolve(0))
    })
    request.on('error', () => resolve(0))
    request.end(payload)
  })
}

async function ask({ from, token, asked, atOnce }: Extract<Order, { kind: 'requests' }>): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce, localAddress: from })
  const work = Array.from({ length: atOnce }, async (_one, index) => {
    for (let turn = index; ; turn += 1) {
      const status = await send(asked[turn % asked.length]!, token, agent)
      note(status)
      if (status === 429 || status === 0) await pause(restAfterRefusalMs)
    }
  })
  await Promise.all(work)
}

async function stayLoggedIn(order: Extract<Order, { kind: 'session' }>): Promise<void> {
  for (;;) {
    const end = await openSession(port, order, (bytes) => {
      toll.largestFrameBytes = Math.max(toll.largestFrameBytes, bytes)
    })
    note(end)
    if (end !== 'left') await pause(restAfterCloseMs)
  }
}

async function haveOpen(order: Extract<Order, { kind: 'open connections' }>): Promise<void> {
  const { from, count, atOnce, text, isUnread } = order
  let open = 0
  const openOne = () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from }, () => socket.write(text))
    open += 1
    toll.open += 1
    socket.once('data', (bytes) => {
      note(/^HTTP\/1.1 ([0-9]{3})/.exec(bytes.toString('latin1', 0, 12))?.[1] ?? 'odd')
      if (isUnread) socket.pause()
    })
    socket.on('data', () => {})
    socket.on('error', () => {})
    socket.on('close', () => {
      open -= 1
      toll.open -= 1
    })
  }
  for (let opened = 0; ; ) {
    const some = Math.min(atOnce, count - open)
    for (let n = 0; n < some; n += 1) openOne()
    opened += some
    await pause(opened < count ? restAfterOpenMs : restAfterCloseMs)
  }
}

function carryOut(order: Order): Promise<void> {
  if (order.kind === 'requests') return ask(order)
  if (order.kind === 'session') return stayLoggedIn(order)
  if (order.kind === 'sockets')
    return keepSockets(port, order, note, (by) => {
      toll.open += by
    })
  return haveOpen(order)
}

// Each message is answered: an attack once it has begun.
process.on('message', (message: { port: number; orders: Order[] } | 'count') => {
  if (message !== 'count') {
    port = message.port
    for (const order of message.orders) void carryOut(order)
  }
  process.send!(toll)
})
process.on('disconnect', () => process.exit())
