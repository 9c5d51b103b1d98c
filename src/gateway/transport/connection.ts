import { isUtf8 } from 'node:buffer'
import type { Duplex } from 'node:stream'
import { type RawData, WebSocket } from 'ws'
import { type GatewaySettings, maxBufferedBytes, maxUnsentBytes } from '../settings.ts'
import { type CloseReason, closeCodes } from './close-codes.ts'
import {
  type Encoding,
  encodedTextFrame,
  heartbeatAck,
  hello,
  opcode,
  type Payload,
  zlibFrame,
} from './frames.ts'

/** A frame from the client. */
export type ClientFrame = { op: number; d: unknown }

/** Counts the unsent bytes of several connections. */
export type UnsentCounter = {
  add(connection: Connection): void
  delete(connection: Connection): void
  /** The unsent bytes of one of them have changed by so much. */
  change(bytes: number): void
}

type ConnectionListener = {
  frame(connection: Connection, frame: ClientFrame): void
  closed(connection: Connection): void
}

const minuteMs = 60_000
const checkDrainEveryMs = 20

/** A socket that refers to its connection, so that all share listeners: own ones would take 300 bytes each. */
export class ConnectionSocket extends WebSocket {
  connection: Connection | undefined
}

/** A websocket: its frames, pings and close, whatever the frames mean. */
export class Connection {
  readonly address: string
  readonly openedAtMs = performance.now()
  /** When anything came from the client. */
  #receivedAtMs = performance.now()
  #pingedAtMs = 0
  /** The pings since anything came from the client. */
  #unansweredPings = 0
  #frameTimes: number[] = []
  /** Unsent bytes that do not count towards the bound of this connection: their sender waits for it to drain. */
  #exemptBytes = 0
  /** The unsent bytes when they were counted last. */
  countedBytes = 0
  #counters: readonly UnsentCounter[] = []
  #acknowledges = false
  /**
   * Heartbeats since the client asked to log in or to resume, before it is known whether it wants them acknowledged.
   */
  #unacknowledged = 0
  #isClosing = false
  #isCorked = false
  readonly #socket: ConnectionSocket
  readonly #stream: Duplex
  readonly #encoding: Encoding
  readonly #listener: ConnectionListener
  readonly #settings: GatewaySettings

  static readonly #listeners = {
    message(this: ConnectionSocket, data: RawData) {
      this.connection!.#receive(data)
    },
    ping(this: ConnectionSocket) {
      this.connection!.#noteReceived()
      // ws answers by itself.
      this.connection!.#checkUnsent()
    },
    pong(this: ConnectionSocket) {
      this.connection!.#noteReceived()
    },
    close(this: ConnectionSocket) {
      this.connection!.#reportClosed()
    },
    // ws itself closes with the right code when a frame is too big or violates the protocol.
    error() {},
  }

  constructor(parts: {
    socket: ConnectionSocket
    stream: Duplex
    encoding: Encoding
    address: string
    listener: ConnectionListener
    settings: GatewaySettings
  }) {
    this.#socket = parts.socket
    this.#stream = parts.stream
    this.#encoding = parts.encoding
    this.#listener = parts.listener
    this.#settings = parts.settings
    this.address = parts.address
    // Existing clients stop, spin or never heartbeat when this comes late.
    this.#socket.send(hello[this.#encoding])
    this.#socket.connection = this
    for (const [name, listener] of Object.entries(Connection.#listeners))
      this.#socket.on(name, listener as () => void)
  }

  /** Whether frames can still be sent. */
  get isOpen(): boolean {
    return !this.#isClosing && this.#socket.readyState === this.#socket.OPEN
  }

  /** Sends an event. `exempt`: its bytes do not count towards the bound of unsent data. */
  send(seq: number, event: Payload, exempt = false): void {
    if (!this.isOpen) return
    this.#cork()
    const unsent = this.#socket.bufferedAmount
    this.#socket.send(this.#encoding === 'text' ? encodedTextFrame(seq, event) : zlibFrame(seq, event), {
      binary: this.#encoding === 'zlib',
    })
    if (exempt) this.#exemptBytes += this.#socket.bufferedAmount - unsent
    this.#checkUnsent()
  }

  /** Heartbeats count from now on, in case they are to be acknowledged. */
  beginLogin(): void {
    this.#unacknowledged = 0
  }

  /** Acknowledges each heartbeat, including those since `beginLogin`. */
  acknowledgeHeartbeats(): void {
    this.#acknowledges = true
    for (; this.#unacknowledged > 0; this.#unacknowledged -= 1) this.#acknowledge()
  }

  /** Writes what was sent so far, without waiting for what else is sent in this turn of the event loop. */
  flush(): void {
    this.#uncork()
  }

  /** Counts unsent bytes in these counters, in place of those before. */
  countIn(counters: readonly UnsentCounter[]): void {
    for (const counter of this.#counters) counter.delete(this)
    this.#counters = counters
    for (const counter of counters) counter.add(this)
  }

  /** Counts and returns the unsent bytes. */
  countUnsent(): number {
    const unsent = this.#socket.bufferedAmount
    const change = unsent - this.countedBytes
    this.countedBytes = unsent
    for (const counter of this.#counters) counter.change(change)
    return unsent
  }

  /** Settles when less than 1 MiB is unsent, or the connection is closed. */
  async drained(): Promise<void> {
    while (this.isOpen && this.#socket.bufferedAmount >= maxBufferedBytes) {
      await new Promise((resolve) => setTimeout(resolve, checkDrainEveryMs).unref())
    }
  }

  /** Closes the connection with a code, after what is queued. */
  close(reason: CloseReason): void {
    if (this.#isClosing) return
    this.#isClosing = true
    this.#socket.close(closeCodes[reason], reason)
  }

  /** Closes the connection at once. */
  terminate(): void {
    this.#isClosing = true
    this.#socket.terminate()
  }

  /**
   * Pings a silent client, and closes it after a while. A client that sends heartbeats is never pinged. One that was
   * silent because the machine stood still gets two pings first, and so the time between them to answer.
   */
  checkAlive(nowMs: number): void {
    if (!this.isOpen) return
    const silentMs = nowMs - this.#receivedAtMs
    const unansweredMs = nowMs - Math.max(this.#pingedAtMs, this.#receivedAtMs)
    if (silentMs >= this.#settings.closeSilentAfterMs && this.#unansweredPings > 1) {
      this.close('heartbeat_missing')
    } else if (silentMs >= this.#settings.pingAfterMs && unansweredMs >= this.#settings.pingEveryMs) {
      // It may leave later than the time that is judged.
      this.#pingedAtMs = Math.max(nowMs, performance.now())
      this.#unansweredPings += 1
      this.#socket.ping()
    }
  }

  #reportClosed(): void {
    this.#listener.closed(this)
  }

  #noteReceived(): void {
    this.#receivedAtMs = performance.now()
    this.#unansweredPings = 0
  }

  #receive(data: RawData): void {
    this.#noteReceived()
    if (this.#isClosing) return
    const frame = readFrame(data)
    if (!frame) this.close('bad_frame')
    else if (frame.op === opcode.heartbeat) this.#heartbeat()
    else if (this.#isTooFast()) this.close('too_many')
    else this.#listener.frame(this, frame)
  }

  #heartbeat(): void {
    if (this.#acknowledges) this.#acknowledge()
    else this.#unacknowledged += 1
  }

  #acknowledge(): void {
    if (!this.isOpen) return
    this.#socket.send(heartbeatAck[this.#encoding])
    this.#checkUnsent()
  }

  #isTooFast(): boolean {
    const now = performance.now()
    // `concat` reserves no space: most clients log in and send nothing else.
    this.#frameTimes = this.#frameTimes.concat(now)
    if (this.#frameTimes.length <= this.#settings.maxFramesPerMinute) return false
    return now - this.#frameTimes.shift()! < minuteMs
  }

  #checkUnsent(): void {
    const unsent = this.countUnsent()
    this.#exemptBytes = Math.min(this.#exemptBytes, unsent)
    if (unsent - this.#exemptBytes > maxUnsentBytes) this.close('slow_consumer')
  }

  /** Combines what is sent in this turn of the event loop into one write. */
  #cork(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.#stream.cork()
    process.nextTick(() => this.#uncork())
  }

  #uncork(): void {
    if (!this.#isCorked) return
    this.#isCorked = false
    this.#stream.uncork()
  }
}

/** Shared by all sockets: a closure made in the upgrade handler would keep the request in memory with the socket. */
export function ignore(): void {}

/** A JSON object with an int `op`, or undefined. */
function readFrame(data: RawData): ClientFrame | undefined {
  if (!Buffer.isBuffer(data) || !isUtf8(data)) return undefined
  let value: unknown
  try {
    value = JSON.parse(data.toString('utf8'))
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { op, d } = value as { op?: unknown; d?: unknown }
  return Number.isInteger(op) ? { op: op as number, d } : undefined
}
