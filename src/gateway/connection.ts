import { isUtf8 } from 'node:buffer'
import type { Duplex } from 'node:stream'
import { type RawData, WebSocket } from 'ws'
import { type CloseReason, closeCodes } from './close-codes.ts'
import { type Encoding, heartbeatAck, hello, type Payload, textFrame, zlibFrame } from './frames.ts'
import { type GatewaySettings, maxUnsentBytes, pacedBelowBytes } from './settings.ts'

/** A frame from the client. */
export type ClientFrame = { op: number; d: unknown }

/** What a connection calls when something comes from the client. */
type ConnectionListener = {
  frame(connection: Connection, frame: ClientFrame): void
  /** It is closed. `code` is that of the client, if the client closed it. */
  closed(connection: Connection, code: number | undefined): void
}

const minuteMs = 60_000
const checkDrainEveryMs = 20
const heartbeatOp = 3

/**
 * The socket of a connection. It refers to that, so that all sockets can share listeners: their own would take 300
 * bytes each.
 */
export class ConnectionSocket extends WebSocket {
  connection: Connection | undefined
}

/** One websocket: frames in and out, pings, and its close. It does not know what the frames mean. */
export class Connection {
  /** The address of the client. */
  readonly address: string
  readonly openedAtMs = performance.now()
  #heardAtMs = performance.now()
  #pingedAtMs = 0
  #frameTimes: number[] = []
  /** Bytes in the socket's queue that do not count as unsent, as their sender waits for the queue to drain. */
  #exemptBytes = 0
  #acknowledges = false
  /** Heartbeats that came since the client asked to log in, or to resume. */
  #unanswered = 0
  #ending = false
  #corked = false
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
      this.connection!.#hear()
      this.connection!.#checkUnsent()
    },
    pong(this: ConnectionSocket) {
      this.connection!.#hear()
    },
    close(this: ConnectionSocket, code: number) {
      this.connection!.#tellEnd(code)
    },
    // When a frame is too big, or violates the websocket protocol, ws itself closes with the right code.
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
    return !this.#ending && this.#socket.readyState === this.#socket.OPEN
  }

  /** Sends an event. `exempt`: its bytes do not count against the connection. */
  send(seq: number, event: Payload, exempt = false): void {
    if (!this.isOpen) return
    this.#cork()
    const unsent = this.#socket.bufferedAmount
    this.#socket.send(this.#encoding === 'text' ? textFrame(seq, event) : zlibFrame(seq, event))
    if (exempt) this.#exemptBytes += this.#socket.bufferedAmount - unsent
    this.#checkUnsent()
  }

  /** The client asks to log in, or to resume: heartbeats from now on get an answer if it is an extended one. */
  beginLogin(): void {
    this.#unanswered = 0
  }

  /** Each heartbeat gets an answer, also those since `beginLogin`. */
  acknowledgeHeartbeats(): void {
    this.#acknowledges = true
    for (; this.#unanswered > 0; this.#unanswered -= 1) this.#answerHeartbeat()
  }

  /** Writes what was sent so far, without waiting for what else is sent in this turn of the event loop. */
  flush(): void {
    this.#uncork()
  }

  /** Settles when little waits to be written, or the connection is closed. */
  async drained(): Promise<void> {
    while (this.isOpen && this.#socket.bufferedAmount >= pacedBelowBytes) {
      await new Promise((resolve) => setTimeout(resolve, checkDrainEveryMs).unref())
    }
  }

  /** Closes it with a code, after what is queued. */
  close(reason: CloseReason): void {
    if (this.#ending) return
    this.#ending = true
    this.#socket.close(closeCodes[reason], reason)
  }

  /** Closes it at once. */
  terminate(): void {
    this.#ending = true
    this.#socket.terminate()
  }

  /** Pings a silent client, and closes it after a while. A client that sends heartbeats is never pinged. */
  checkLife(nowMs: number): void {
    if (!this.isOpen) return
    const silentMs = nowMs - this.#heardAtMs
    const unansweredMs = this.#pingedAtMs > this.#heardAtMs ? nowMs - this.#pingedAtMs : silentMs
    if (silentMs >= this.#settings.closeSilentAfterMs) {
      this.close('heartbeat_missing')
    } else if (silentMs >= this.#settings.pingAfterMs && unansweredMs >= this.#settings.pingEveryMs) {
      this.#pingedAtMs = nowMs
      this.#socket.ping()
    }
  }

  #tellEnd(code: number): void {
    this.#listener.closed(this, this.#ending ? undefined : code)
  }

  #hear(): void {
    this.#heardAtMs = performance.now()
  }

  #receive(data: RawData): void {
    this.#hear()
    if (this.#ending) return
    const frame = readFrame(data)
    if (!frame) this.close('bad_frame')
    else if (frame.op === heartbeatOp) this.#heartbeat()
    else if (this.#isTooFast()) this.close('too_many')
    else this.#listener.frame(this, frame)
  }

  #heartbeat(): void {
    if (this.#acknowledges) this.#answerHeartbeat()
    else this.#unanswered += 1
  }

  #answerHeartbeat(): void {
    if (!this.isOpen) return
    this.#socket.send(heartbeatAck[this.#encoding])
    this.#checkUnsent()
  }

  #isTooFast(): boolean {
    const now = performance.now()
    // `concat` makes an array of just that size: most clients log in and send nothing else.
    this.#frameTimes = this.#frameTimes.concat(now)
    if (this.#frameTimes.length <= this.#settings.maxFramesPerMinute) return false
    return now - this.#frameTimes.shift()! < minuteMs
  }

  #checkUnsent(): void {
    const unsent = this.#socket.bufferedAmount
    this.#exemptBytes = Math.min(this.#exemptBytes, unsent)
    if (unsent - this.#exemptBytes > maxUnsentBytes) this.close('slow_consumer')
  }

  /** Gathers what is sent in this turn of the event loop into one write. */
  #cork(): void {
    if (this.#corked) return
    this.#corked = true
    this.#stream.cork()
    process.nextTick(() => this.#uncork())
  }

  #uncork(): void {
    if (!this.#corked) return
    this.#corked = false
    this.#stream.uncork()
  }
}

/**
 * Shared by all sockets: a closure made in the upgrade handler would keep the request in memory as long as the socket.
 */
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
