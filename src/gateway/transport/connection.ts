import type { Duplex } from 'node:stream'
import { type RawData, WebSocket } from 'ws'
import { type GatewaySettings, maxBufferedBytes, maxEarlyFrameBytes, maxUnsentBytes } from '../settings.ts'
import { type ClientFrame, readFrame } from './client-frame.ts'
import { type CloseReason, closeCodes } from './close-codes.ts'
import { type Encoding, heartbeatAck, hello, opcode, type Payload, sharedFrame } from './frames.ts'
import { Inbound } from './inbound.ts'
import type { Share } from './share.ts'

type ConnectionListener = {
  frame(connection: Connection, frame: ClientFrame): void
  /** The server closes the connection. */
  closing(connection: Connection, reason: CloseReason | 'protocol_error'): void
  closed(connection: Connection): void
}

/** The stream of a websocket. It refers to its connection for the same reason as the socket does. */
type ConnectionStream = Duplex & { connection?: Connection }

const checkDrainEveryMs = 20
/** How long a refused client may take to read the reason of the close. */
const refusedWithinMs = 1_000

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
  /** Unsent bytes that do not count towards the bound of this connection: their sender waits for it to drain. */
  #exemptBytes = 0
  /** The buffered bytes when they were counted last. */
  countedBytes = 0
  #waitingBytes = 0
  #shares: readonly Share[] = []
  #acknowledges = false
  /**
   * Heartbeats since the client asked to log in or to resume, before it is known whether it wants them acknowledged.
   */
  #unacknowledged = 0
  #isClosing = false
  /** Nothing more is read: the client has sent too much, or what is no websocket frame. */
  #isRefused = false
  #hasBegunLogin = false
  #isCorked = false
  readonly #socket: ConnectionSocket
  readonly #stream: ConnectionStream
  readonly #inbound: Inbound
  readonly #encoding: Encoding
  readonly #listener: ConnectionListener
  readonly #settings: GatewaySettings

  static readonly #listeners = {
    message(this: ConnectionSocket, data: RawData) {
      this.connection!.#receive(data as Buffer)
    },
    ping(this: ConnectionSocket, data: Buffer) {
      this.connection!.#noteFrame(data.length, false)
      // ws answers by itself.
      this.connection!.#checkUnsent()
    },
    pong(this: ConnectionSocket, data: Buffer) {
      this.connection!.#noteFrame(data.length, false)
    },
    close(this: ConnectionSocket) {
      this.connection!.#reportClosed()
    },
    // ws itself closes with the right code when a frame is too big or violates the protocol.
    error(this: ConnectionSocket) {
      this.connection!.#reportProtocolError()
    },
  }

  /** Called when ws has read the frames in the chunk. */
  static readonly #onData = function (this: ConnectionStream, chunk: Buffer): void {
    this.connection!.#noteChunk(chunk.length)
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
    this.#inbound = new Inbound(parts.settings)
    this.address = parts.address
    // Existing clients stop, spin or never heartbeat when this comes late.
    this.#socket.send(hello[this.#encoding])
    this.#socket.connection = this
    for (const [name, listener] of Object.entries(Connection.#listeners))
      this.#socket.on(name, listener as () => void)
    this.#stream.connection = this
    this.#stream.on('data', Connection.#onData)
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
    this.#socket.send(sharedFrame(this.#encoding, seq, event), {
      binary: this.#encoding === 'zlib',
    })
    if (exempt) this.#exemptBytes += this.#socket.bufferedAmount - unsent
    this.#checkUnsent()
  }

  /** Frames may be large from now on, and heartbeats count, in case they are to be acknowledged. */
  beginLogin(): void {
    this.#hasBegunLogin = true
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

  /** Counts buffered bytes, and what the client sends, in these shares, in place of those before. */
  countIn(shares: readonly Share[]): void {
    for (const { buffered } of this.#shares) buffered.delete(this)
    this.#shares = shares
    for (const { buffered } of shares) buffered.add(this)
  }

  /** Sets the bytes of what waits for the client elsewhere: requests, and events during a login. */
  countWaiting(bytes: number): void {
    this.#waitingBytes = bytes
    this.countBuffered()
  }

  /**
   * Counts and returns the buffered bytes: those that the client has not read, those of a message that it has begun, and
   * those of what waits elsewhere.
   */
  countBuffered(): number {
    const bytes = this.#socket.bufferedAmount + this.#inbound.bufferedBytes + this.#waitingBytes
    const change = bytes - this.countedBytes
    this.countedBytes = bytes
    for (const { buffered } of this.#shares) buffered.change(change)
    return bytes
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
    this.#listener.closing(this, reason)
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

  #reportProtocolError(): void {
    if (!this.#isClosing) {
      this.#isClosing = true
      this.#listener.closing(this, 'protocol_error')
    }
    this.#stopReading()
  }

  /** A frame is a sign of life. Returns its time. */
  #noteFrame(payloadBytes: number, endsMessage: boolean): number {
    const now = performance.now()
    this.#receivedAtMs = now
    this.#unansweredPings = 0
    this.#inbound.countFrame(now, payloadBytes, endsMessage, this.#shares)
    if (this.#inbound.isTooMuch(this.#shares)) this.#refuse()
    return now
  }

  #noteChunk(bytes: number): void {
    this.#inbound.countChunk(performance.now(), bytes, this.#shares)
    this.countBuffered()
    const isTooLarge = !this.#hasBegunLogin && this.#inbound.unfinishedBytes > maxEarlyFrameBytes
    if (isTooLarge || this.#inbound.isTooMuch(this.#shares)) this.#refuse()
    // ws resumes the socket after an error.
    else if (this.#isRefused) this.#socket.pause()
  }

  #refuse(): void {
    this.close('rate_limit')
    this.#stopReading()
  }

  /** Reads nothing more, and ends the connection once the client has had time to read the reason of the close. */
  #stopReading(): void {
    this.#socket.pause()
    if (this.#isRefused) return
    this.#isRefused = true
    setTimeout(() => this.terminate(), refusedWithinMs).unref()
  }

  #receive(data: Buffer): void {
    const now = this.#noteFrame(data.length, true)
    if (this.#isClosing) return
    const frame = readFrame(data)
    if (!this.#hasBegunLogin && data.length > maxEarlyFrameBytes) this.#refuse()
    else if (!frame) this.close('bad_frame')
    else if (frame.op === opcode.heartbeat) this.#heartbeat()
    else if (this.#inbound.isRequestTooMuch(now)) this.close('too_many')
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

  #checkUnsent(): void {
    this.countBuffered()
    const unsent = this.#socket.bufferedAmount
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
