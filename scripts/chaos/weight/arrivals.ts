import WebSocket from 'ws'

const prefix = 'as usual '

/** Messages that somebody sends as people do, and when they arrive at a socket of theirs. */
export class Arrivals {
  readonly #socket: WebSocket
  readonly #sentAtMs = new Map<number, number>()
  #times: number[] = []
  #last = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (bytes: Buffer) => this.#note(String(bytes)))
  }

  /** Logs in, and waits for the first house. */
  static async listen(port: number, token: string): Promise<Arrivals> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`)
    socket.on('error', () => {})
    socket.on('open', () => socket.send(JSON.stringify({ op: 2, d: { token } })))
    const arrivals = new Arrivals(socket)
    await new Promise<void>((resolve) => {
      socket.on('message', (bytes: Buffer) => {
        if (bytes.includes('"e":"HOUSE_JOIN"')) resolve()
      })
    })
    return arrivals
  }

  /** The body of the next message. */
  nextBody(): string {
    this.#last += 1
    this.#sentAtMs.set(this.#last, performance.now())
    return JSON.stringify({ content: `${prefix}${this.#last}` })
  }

  /** The times in ms since the last call, from the beginning of the request. Who waits has waited for so long at least. */
  takeTimes(): number[] {
    const now = performance.now()
    const waiting = [...this.#sentAtMs.values()].map((sentAt) => now - sentAt)
    return [...this.#times.splice(0), ...waiting]
  }

  close(): void {
    this.#socket.terminate()
  }

  #note(text: string): void {
    const number = Number(new RegExp(`"content":"${prefix}(\\d+)"`).exec(text)?.[1])
    const sentAt = this.#sentAtMs.get(number)
    if (sentAt === undefined) return
    this.#sentAtMs.delete(number)
    this.#times.push(performance.now() - sentAt)
  }
}
