import type { IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import WebSocket from 'ws'
import { Model } from '../../../test/support/gateway-model.ts'
import type { Person } from '../support/people.ts'
import type { Balancer } from './balancer.ts'
import { History } from './history.ts'

const retryMs = 20
/** After these the session is kept: the server stopped, or the line was cut. */
const keepsSession = new Set([1001, 1006])
/** After these close codes the client logs in again. */
const startsAgain = new Set([1011, 4009])

/** Where a connection was when it ended: it logged in, resumed, or was ready. */
type Stage = 'login' | 'resume' | 'ready'
/** A connection that was closed. `port` is that of its process. */
export type Ending = { port: number | undefined; code: number; stage: Stage; atMs: number }

/** A gateway client that resumes when its connection ends, and logs in again where it cannot. */
export class Watcher {
  readonly person: Person
  /** The state of the client: that of its last login, updated by events. */
  model = new Model([])
  readonly history: History
  /** What must not happen, whatever was done to the processes. */
  readonly findings: string[] = []
  /** The connections that ended since the last `forget`, but for those that were cut. */
  endings: Ending[] = []
  readonly counts = { logins: 0, resumed: 0, refused: 0 }
  /** Called with the text of each message that comes as an event. */
  onMessage: (content: string) => void = () => {}
  readonly #origin: string
  readonly #balancer: Balancer | undefined
  #socket: WebSocket | undefined
  #stage: Stage = 'login'
  #isOver = false
  #isCut = false
  #sessionId: string | undefined
  #seq = 0
  /** Of the houses of the login, those that are still to come. */
  #houses = 0

  /** Begins to log in. The load balancer says which process a connection is at; without one it is not known. */
  constructor(origin: string, person: Person, balancer?: Balancer) {
    this.#origin = origin
    this.#balancer = balancer
    this.person = person
    this.history = new History(origin, person)
    void this.#run()
  }

  /** Whether it is logged in, and has read what it missed. */
  get isReady(): boolean {
    return this.#stage === 'ready' && this.history.isRead
  }

  forget(): void {
    this.endings = []
    this.history.forget()
  }

  /** Loses the line without a word. */
  cut(): void {
    this.#isCut = true
    this.#socket?.terminate()
  }

  /** Ends the session. */
  close(): void {
    this.#isOver = true
    this.history.close()
    this.#socket?.close(1000)
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const { port, code } = await this.#connect()
      if (this.#isOver) return
      // Nobody listened, or the upgrade was refused.
      if (code === undefined) {
        await pause(retryMs)
        continue
      }
      const stage = this.#stage
      if (!this.#isCut) this.endings.push({ port, code, stage, atMs: performance.now() })
      this.#isCut = false
      if (stage === 'resume' && code === 4009) this.counts.refused += 1
      if (!keepsSession.has(code) && !startsAgain.has(code))
        this.findings.push(`a socket was closed with ${code}`)
      // A session whose login was cut is not known to anybody.
      if (!keepsSession.has(code) || stage === 'login') this.#sessionId = undefined
    }
  }

  /** Settles when the connection has ended; without a code when it never stood. */
  #connect(): Promise<{ port: number | undefined; code: number | undefined }> {
    const socket = new WebSocket(`${this.#origin.replace('http', 'ws')}/socket`)
    this.#socket = socket
    this.#stage = this.#sessionId === undefined ? 'login' : 'resume'
    let port: number | undefined
    let isOpen = false
    socket.on('upgrade', (answer: IncomingMessage) => {
      port = this.#balancer?.targetOf(answer.socket.localPort!)
    })
    socket.on('open', () => {
      isOpen = true
      socket.send(JSON.stringify(this.#greeting()))
    })
    socket.on('message', (bytes) => this.#receive(JSON.parse(String(bytes))))
    socket.on('error', () => {})
    return new Promise((resolve) => {
      socket.on('close', (code) => resolve({ port, code: isOpen ? code : undefined }))
    })
  }

  #greeting(): object {
    const { token } = this.person
    if (this.#sessionId === undefined) return { op: 2, d: { token } }
    return { op: 11, d: { session_id: this.#sessionId, seq: this.#seq, token } }
  }

  // biome-ignore lint/suspicious/noExplicitAny: payloads are what they are
  #receive({ op, seq, e, d }: { op: number; seq: number; e: string; d: any }): void {
    if (op !== 0) return
    if (e === 'INIT_STATE') {
      this.model = new Model([])
      this.history.beginSession()
      ;[this.#sessionId, this.#houses, this.#seq] = [d.session_id, d.house_ids.length, 0]
    }
    if (seq < this.#seq) this.findings.push(`${e} with the number ${seq} came after ${this.#seq}`)
    this.#seq = seq
    try {
      this.model.apply({ op, seq, e, d, text: '', binary: false })
    } catch (error) {
      this.findings.push(`${e} does not fit what was told before: ${(error as Error).message}`)
    }
    if (e === 'MESSAGE_CREATE') {
      this.findings.push(...this.history.receive(d))
      this.onMessage(d.content)
    }
    if (this.#stage === 'login') this.#follow(e)
    if (e !== 'RESUMED') return
    this.counts.resumed += 1
    this.#stage = 'ready'
  }

  /** The login is complete with its last house. */
  #follow(e: string): void {
    if (e === 'HOUSE_JOIN') this.#houses -= 1
    if (this.#houses > 0) return
    this.counts.logins += 1
    this.#stage = 'ready'
    void this.history.read(this.model.known.rooms).catch((error: Error) => this.findings.push(error.message))
  }
}
