import { compareIds } from '../../../src/ids.ts'
import type { Person } from '../support/people.ts'
import { insist } from './insist.ts'

const pageSize = 100

type Message = { id: string; room_id: string }

/** The messages that a client has seen: as events, and after a login anew in the history of the rooms. */
export class History {
  /** Ids by room, since the last `forget`. */
  readonly seen = new Map<string, Set<string>>()
  /** Messages that came as events in one session, and in a later one again. */
  repeated = 0
  readonly #origin: string
  readonly #person: Person
  /** The newest message of each room that came as an event in this session. */
  readonly #last = new Map<string, string>()
  readonly #asEvents = new Set<string>()
  /** The newest message of each room that is seen. */
  readonly #newest = new Map<string, string>()
  /** What was the newest before the login: all later ones are to be read. Undefined when they are. */
  #readFrom: Map<string, string> | undefined
  #sessions = 0
  #isOver = false

  constructor(origin: string, person: Person) {
    this.#origin = origin
    this.#person = person
  }

  get isRead(): boolean {
    return this.#readFrom === undefined
  }

  /** A login: from now on events come in a new order. The first one has missed nothing. */
  beginSession(): void {
    if (this.#sessions > 0) this.#readFrom ??= new Map(this.#newest)
    this.#sessions += 1
    this.#last.clear()
  }

  /** A message came as an event. Returns what is wrong with that. */
  receive({ id, room_id }: Message): string[] {
    const last = this.#last.get(room_id) ?? '0'
    this.#last.set(room_id, id)
    if (this.#asEvents.has(id)) this.repeated += 1
    this.#asEvents.add(id)
    this.#see(room_id, id)
    if (id === last) return [`message ${id} came twice`]
    return compareIds(id, last) < 0 ? [`message ${id} came after ${last}`] : []
  }

  /** Reads what was missed in these rooms. */
  async read(rooms: readonly string[]): Promise<void> {
    const session = this.#sessions
    const from = this.#readFrom
    if (!from) return
    await Promise.all(rooms.map((room) => this.#readRoom(room, from.get(room) ?? '0')))
    if (session === this.#sessions) this.#readFrom = undefined
  }

  forget(): void {
    this.seen.clear()
    this.#asEvents.clear()
  }

  close(): void {
    this.#isOver = true
  }

  async #readRoom(room: string, from: string): Promise<void> {
    for (let before = ''; !this.#isOver; ) {
      const path = `/rooms/${room}/messages?limit=${pageSize}${before}`
      const { status, text, data } = await insist(this.#origin, this.#person.token, 'GET', path)
      // It was deleted meanwhile, or left.
      if (status === 404) return
      if (status !== 200) throw new Error(`a history was answered with ${status} ${text}`)
      const ids: string[] = data.map(({ id }: Message) => id)
      const later = ids.filter((id) => compareIds(id, from) > 0)
      for (const id of later) this.#see(room, id)
      if (later.length < pageSize) return
      before = `&before=${ids.at(-1)}`
    }
  }

  #see(room: string, id: string): void {
    const seen = this.seen.get(room)
    if (seen) seen.add(id)
    else this.seen.set(room, new Set([id]))
    if (compareIds(id, this.#newest.get(room) ?? '0') > 0) this.#newest.set(room, id)
  }
}
