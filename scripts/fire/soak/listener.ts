import WebSocket from 'ws'
import type { Person } from '../support/people.ts'

const heartbeatMs = 30_000
const openWithinMs = 15_000

/** A client of the gateway that loses its line now and then, resumes, and notes every message it is told of. */
export class Listener {
  readonly person: Person
  /** The ids of messages by room, in the order in which they came, since the last `forget`. */
  readonly heard = new Map<string, string[]>()
  /** What must not happen: a gap in the numbers, an id that does not rise, a refused resume. */
  readonly findings: string[] = []
  events = 0
  resumes = 0
  readonly #origin: string
  readonly #last = new Map<string, bigint>()
  #socket: WebSocket | undefined
  #sessionId = ''
  #seq = 0
  #heartbeat: NodeJS.Timeout | undefined

  constructor(origin: string, person: Person) {
    this.#origin = origin.replace('http', 'ws')
    this.person = person
  }

  /** Logs in; settles with the state of the last house. */
  async logIn(): Promise<void> {
    this.#seq = 0
    await this.#open({ op: 2, d: { token: this.person.token } }, 'HOUSE_JOIN')
  }

  /** Loses the line without a word, and takes the session up again on another. */
  async cutAndResume(): Promise<void> {
    this.#drop((socket) => socket.terminate())
    this.resumes += 1
    const d = { session_id: this.#sessionId, seq: this.#seq, token: this.person.token }
    await this.#open({ op: 11, d }, 'RESUMED')
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

  #open(frame: object, until: string): Promise<void> {
    const socket = new WebSocket(`${this.#origin}/socket`)
    this.#socket = socket
    this.#heartbeat = setInterval(() => socket.send('{"op":3}'), heartbeatMs)
    socket.on('open', () => socket.send(JSON.stringify(frame)))
    socket.on('error', () => {})
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${until} within ${openWithinMs} ms`)), openWithinMs)
      socket.on('close', (code) => {
        this.findings.push(`a socket was closed with ${code}`)
        reject(new Error(`closed with ${code} before ${until}`))
      })
      socket.on('message', (bytes) => {
        if (this.#hear(String(bytes)) !== until) return
        clearTimeout(timer)
        resolve()
      })
    })
  }

  #hear(text: string): string | undefined {
    const { op, seq, e, d } = JSON.parse(text)
    if (op !== 0) return undefined
    this.events += 1
    if (seq !== this.#seq + 1) this.findings.push(`event ${seq} (${e}) came after ${this.#seq}`)
    this.#seq = seq
    if (e === 'INIT_STATE') this.#sessionId = d.session_id
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
