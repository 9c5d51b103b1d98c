import WebSocket from 'ws'
import type { Person } from './people.ts'

const openWithinMs = 60_000

/** A client of the gateway, which may lose its line and resume, and notes every message it is told of. */
export class Listener {
  /** The ids of messages by room, in the order in which they came, since the last `forget`. */
  readonly heard = new Map<string, string[]>()
  /** What must not happen: a number that falls, an id that does not rise, a close, a refused resume. */
  readonly findings: string[] = []
  events = 0
  resumes = 0
  readonly #origin: string
  readonly #person: Person
  readonly #heartbeatMs: number | null
  readonly #last = new Map<string, bigint>()
  #socket: WebSocket | undefined
  #sessionId = ''
  #seq = 0
  /** Of the houses of the login, those that are still to come. */
  #houses = 0
  #heartbeat: NodeJS.Timeout | undefined

  /** Without heartbeats it only answers pings. */
  constructor(origin: string, person: Person, heartbeatMs: number | null = null) {
    this.#origin = origin.replace('http', 'ws')
    this.#person = person
    this.#heartbeatMs = heartbeatMs
  }

  /** Logs in; settles with the state of the last house. */
  async logIn(): Promise<void> {
    this.#seq = 0
    const isComplete = (event: string) => event !== 'RESUMED' && this.#houses === 0
    await this.#open({ op: 2, d: { token: this.#person.token } }, isComplete)
  }

  /** Loses the line without a word. */
  cut(): void {
    this.#drop((socket) => socket.terminate())
  }

  /** Takes the session up again on another line. */
  async resume(): Promise<void> {
    this.resumes += 1
    const d = { session_id: this.#sessionId, seq: this.#seq, token: this.#person.token }
    await this.#open({ op: 11, d }, (event) => event === 'RESUMED')
  }

  /** Ends the session. */
  close(): void {
    this.#drop((socket) => socket.close(1000))
  }

  forget(): void {
    this.heard.clear()
  }

  #drop(end: (socket: WebSocket) => void): void {
    clearInterval(this.#heartbeat)
    const socket = this.#socket
    this.#socket = undefined
    if (!socket) return
    socket.removeAllListeners('message')
    socket.removeAllListeners('close')
    end(socket)
  }

  #open(frame: object, isOpen: (event: string) => boolean): Promise<void> {
    const socket = new WebSocket(`${this.#origin}/socket`)
    this.#socket = socket
    if (this.#heartbeatMs !== null)
      this.#heartbeat = setInterval(() => socket.send('{"op":3}'), this.#heartbeatMs)
    socket.on('open', () => socket.send(JSON.stringify(frame)))
    socket.on('error', () => {})
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`no answer to ${JSON.stringify(frame)} within ${openWithinMs} ms`))
      const timer = setTimeout(late, openWithinMs)
      socket.on('close', (code) => {
        this.findings.push(`a socket was closed with ${code}`)
        clearTimeout(timer)
        reject(new Error(`closed with ${code}`))
      })
      socket.on('message', (bytes) => {
        const event = this.#hear(String(bytes))
        if (event === undefined || !isOpen(event)) return
        clearTimeout(timer)
        resolve()
      })
    })
  }

  #hear(text: string): string | undefined {
    const { op, seq, e, d } = JSON.parse(text)
    if (op !== 0) return undefined
    this.events += 1
    if (seq < this.#seq) this.findings.push(`event ${seq} (${e}) came after ${this.#seq}`)
    this.#seq = seq
    if (e === 'INIT_STATE') [this.#sessionId, this.#houses] = [d.session_id, d.house_ids.length]
    if (e === 'HOUSE_JOIN') this.#houses -= 1
    if (e === 'MESSAGE_CREATE') this.#note(d)
    return e
  }

  #note({ id, room_id }: { id: string; room_id: string }): void {
    if (BigInt(id) <= (this.#last.get(room_id) ?? 0n)) this.findings.push(`message ${id} came out of order`)
    this.#last.set(room_id, BigInt(id))
    const heard = this.heard.get(room_id)
    if (heard) heard.push(id)
    else this.heard.set(room_id, [id])
  }
}
