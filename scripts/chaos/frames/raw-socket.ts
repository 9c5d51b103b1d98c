import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as read } from 'node:timers/promises'

const openWithinMs = 15_000
/** The code that represents a close without a code. */
const noCode = 1005

export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** A websocket frame as a client writes it, right or wrong. */
type RawFrame = {
  opcode: number
  payload?: Buffer
  fin?: boolean
  /** The three reserved bits. */
  reserved?: number
  masked?: boolean
  /** A length that the payload does not have. */
  claims?: bigint
}

export function encode({ opcode, payload = Buffer.alloc(0), fin = true, reserved = 0, ...more }: RawFrame) {
  const { masked = true, claims = BigInt(payload.length) } = more
  const bits = (fin ? 0x80 : 0) | (reserved << 4) | opcode
  const mask = masked ? 0x80 : 0
  const head = claims < 126n ? Buffer.from([bits, mask | Number(claims)]) : longHead(bits, mask, claims)
  if (!masked) return Buffer.concat([head, payload])
  const key = randomBytes(4)
  return Buffer.concat([head, key, payload.map((byte, index) => byte ^ key[index % 4]!)])
}

function longHead(bits: number, mask: number, length: bigint): Buffer {
  if (length < 65_536n) return Buffer.from([bits, mask | 126, Number(length >> 8n), Number(length & 255n)])
  const head = Buffer.alloc(10)
  head.set([bits, mask | 127])
  head.writeBigUInt64BE(length, 2)
  return head
}

/** A websocket that writes given bytes, and reads no more than it needs. */
export class RawSocket {
  readonly #stream: Socket
  #received: Buffer = Buffer.alloc(0)
  #pongs = 0
  /** The names of the events that came, in order. */
  readonly events: string[] = []
  /** What the server closed with: null when it just ended. */
  code: number | null | undefined
  /** What broke it on the way, if anything. */
  error: string | undefined
  #wake: (() => void) | undefined

  private constructor(stream: Socket) {
    this.#stream = stream
    stream.on('data', (part) => this.#read(part))
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.error = error.code
    })
    stream.on('close', () => {
      this.code ??= null
      this.#wake?.()
    })
  }

  static async open(port: number, query = ''): Promise<RawSocket> {
    const stream = connect(port, '127.0.0.1').setNoDelay()
    const key = randomBytes(16).toString('base64')
    stream.write(
      `GET /socket${query} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    )
    let head = Buffer.alloc(0)
    const signal = AbortSignal.timeout(openWithinMs)
    while (!head.includes('\r\n\r\n'))
      head = Buffer.concat([head, (await once(stream, 'data', { signal }))[0] as Buffer])
    if (!head.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(head.toString('latin1'))
    const socket = new RawSocket(stream)
    socket.#read(head.subarray(head.indexOf('\r\n\r\n') + 4))
    return socket
  }

  write(bytes: Buffer): void {
    if (!this.#stream.destroyed) this.#stream.write(bytes)
  }

  /** Settles when the server has closed it, with the code, or null when it just ended. Throws when it does not. */
  async end(withinMs: number): Promise<number | null> {
    await this.#until(() => this.code !== undefined, withinMs, 'end')
    return this.code!
  }

  /** Asks for a sign of life; false when the socket was closed instead. */
  async isAlive(withinMs: number): Promise<boolean> {
    const before = this.#pongs
    this.write(encode({ opcode: opcode.ping }))
    await this.#until(() => this.#pongs > before || this.code !== undefined, withinMs, 'pong')
    return this.code === undefined
  }

  /** Settles when an event has come, or the socket was closed. */
  async event(name: string, withinMs: number): Promise<void> {
    await this.#until(() => this.events.includes(name) || this.code !== undefined, withinMs, name)
  }

  cut(): void {
    this.#stream.destroy()
  }

  async #until(condition: () => boolean, withinMs: number, what: string): Promise<void> {
    const deadline = performance.now() + withinMs
    while (!condition()) {
      const left = deadline - performance.now()
      if (left <= 0) {
        // It may have come while this process stood still.
        await read()
        if (condition()) return
        throw new Error(`no ${what} within ${withinMs} ms`)
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  #read(part: Buffer): void {
    this.#received = Buffer.concat([this.#received, part])
    for (let frame = this.#take(); frame; frame = this.#take()) {
      if (frame.opcode === opcode.pong) this.#pongs += 1
      if (frame.opcode === opcode.close)
        this.code ??= frame.payload.length < 2 ? noCode : frame.payload.readUInt16BE(0)
      const name = frame.opcode === opcode.text && /"e":"(\w+)"/.exec(frame.payload.toString('latin1', 0, 80))
      if (name) this.events.push(name[1]!)
    }
    this.#wake?.()
  }

  #take(): { opcode: number; payload: Buffer } | undefined {
    const bytes = this.#received
    if (bytes.length < 2) return undefined
    const short = bytes[1]! & 0x7f
    const start = short === 127 ? 10 : short === 126 ? 4 : 2
    if (bytes.length < start) return undefined
    const length =
      short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short
    if (bytes.length < start + length) return undefined
    this.#received = bytes.subarray(start + length)
    return { opcode: bytes[0]! & 0x0f, payload: bytes.subarray(start, start + length) }
  }
}
