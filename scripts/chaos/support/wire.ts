import { connect, type Socket } from 'node:net'

/** An answer as it came over the wire; `ms` from the first byte sent to the last one received. */
export type WireAnswer = { status: number; headers: Map<string, string>; body: string; ms: number }

/** The placeholder of a missing answer. */
export class NoAnswer extends Error {}

type Waiting = {
  hasBody: boolean
  since: number
  resolve(answer: WireAnswer): void
  reject(error: Error): void
}

/** One keep-alive connection for raw bytes; it is reopened after a close. */
export class Wire {
  readonly #port: number
  readonly #timeoutMs: number
  #socket: Socket | undefined
  #received: Buffer = Buffer.alloc(0)
  #waiting: Waiting | undefined

  constructor(port: number, timeoutMs = 20_000) {
    this.#port = port
    this.#timeoutMs = timeoutMs
  }

  /** Sends one request and gives its answer, one at a time. Throws `NoAnswer`. */
  async exchange(request: Buffer, method: string): Promise<WireAnswer> {
    const socket = this.#socket ?? (await this.#open())
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise<WireAnswer>((resolve, reject) => {
        timer = setTimeout(() => this.#fail(`no answer within ${this.#timeoutMs} ms`), this.#timeoutMs)
        this.#waiting = { hasBody: method !== 'HEAD', since: performance.now(), resolve, reject }
        socket.write(request)
      })
    } finally {
      clearTimeout(timer)
    }
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  async #open(): Promise<Socket> {
    const socket = connect(this.#port, '127.0.0.1')
    socket.setNoDelay(true)
    this.#received = Buffer.alloc(0)
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    socket.removeAllListeners('error')
    socket.on('error', () => {})
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.on('close', () => {
      if (this.#socket === socket) this.#fail('the connection closed without an answer')
    })
    this.#socket = socket
    return socket
  }

  #fail(reason: string): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    this.close()
    waiting?.reject(new NoAnswer(reason))
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const waiting = this.#waiting
    if (!waiting) return
    const found = readAnswer(this.#received, waiting.hasBody)
    if (!found) return
    this.#received = this.#received.subarray(found.end)
    this.#waiting = undefined
    // Closed at once rather than when the server gets to it, so that the next request does not meet a closing one.
    if (found.headers.get('connection') === 'close') this.close()
    const { status, headers, body } = found
    waiting.resolve({ status, headers, body, ms: performance.now() - waiting.since })
  }
}

type Found = Omit<WireAnswer, 'ms'> & { end: number }

/** The first whole answer in what was received, or undefined; answers of 1xx are passed over. */
function readAnswer(received: Buffer, hasBody: boolean): Found | undefined {
  let start = 0
  for (;;) {
    const headEnd = received.indexOf('\r\n\r\n', start)
    if (headEnd === -1) return undefined
    const [first, ...lines] = received.toString('latin1', start, headEnd).split('\r\n') as [
      string,
      ...string[],
    ]
    const status = Number(first.split(' ')[1])
    start = headEnd + 4
    if (status < 200) continue
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    if (!hasBody || status === 204 || status === 304) return { status, headers, body: '', end: start }
    if (headers.get('transfer-encoding') === 'chunked') {
      const chunked = readChunks(received, start)
      return chunked && { status, headers, ...chunked }
    }
    const end = start + Number(headers.get('content-length') ?? 0)
    if (received.length < end) return undefined
    return { status, headers, body: received.toString('utf8', start, end), end }
  }
}

function readChunks(received: Buffer, start: number): { body: string; end: number } | undefined {
  const chunks: Buffer[] = []
  for (let at = start; ; ) {
    const lineEnd = received.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(received.toString('latin1', at, lineEnd), 16)
    const end = lineEnd + 2 + size
    if (received.length < end + 2) return undefined
    if (size === 0) return { body: Buffer.concat(chunks).toString('utf8'), end: end + 2 }
    chunks.push(received.subarray(lineEnd + 2, end))
    at = end + 2
  }
}

/**
 * What came back over a connection until it was closed. `ms` until the first of it; null when the client had ended
 * before.
 */
type Exchange = {
  answers: WireAnswer[]
  receivedBytes: number
  ms: number | null
  endedByServer: boolean
}

/**
 * So long a server may wait for more of a request, or hold the connection after an answer, before the client ends it.
 */
const patienceMs = 800
const quietMs = 40

/** Sends bytes on a connection of their own, ends it when nothing more comes, and gives all answers. */
export async function exchangeAlone(port: number, bytes: Buffer, hasBody = true): Promise<Exchange> {
  const since = performance.now()
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const chunks: Buffer[] = []
  let ms: number | null = null
  let endedByServer = false
  await new Promise<void>((resolve) => {
    const giveUp = setTimeout(() => socket.destroy(), 10_000)
    // Ended at once, the server would take the client for gone and answer nothing.
    let quiet = setTimeout(() => socket.end(), patienceMs)
    const noteEnd = () => {
      endedByServer ||= !socket.writableEnded
    }
    socket.on('data', (chunk) => {
      if (!socket.writableEnded) ms ??= performance.now() - since
      chunks.push(chunk)
      clearTimeout(quiet)
      quiet = setTimeout(() => socket.end(), quietMs)
    })
    socket.on('end', () => {
      noteEnd()
      socket.end()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      noteEnd()
      clearTimeout(quiet)
      clearTimeout(giveUp)
      resolve()
    })
    socket.write(bytes)
  })
  const answers: WireAnswer[] = []
  let received: Buffer = Buffer.concat(chunks)
  const receivedBytes = received.length
  for (let found = readAnswer(received, hasBody); found; found = readAnswer(received, hasBody)) {
    const { end, ...answer } = found
    answers.push({ ...answer, ms: ms ?? 0 })
    received = received.subarray(end)
  }
  return { answers, receivedBytes, ms, endedByServer }
}
