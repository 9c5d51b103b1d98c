import { setTimeout as pause } from 'node:timers/promises'
import { addPerson, ask, type Person } from '../support/people.ts'
import type { Stage } from '../support/stage.ts'

const senders = 6
const wanderers = 2
/** Between two tries of something that was not answered, or refused for the moment. */
const retryMs = 20
const givenUpAfterMs = 5_000

/** What a message must be: its text is that of an edit between the last acknowledged one and the last one tried. */
export type Expected = {
  id: string
  room_id: string
  name: string
  acknowledgedEdit: number
  triedEdit: number
}

/** Whether a user must be a member; undefined while the last request was not answered. */
type Wanderer = { user_id: string; house_id: string; isIn: boolean | undefined }

/** People who send, edit, join and leave without pause, and remember what was acknowledged. */
export type Population = {
  /** The messages that were acknowledged since `forget`, by their text. */
  messages: Map<string, Expected>
  /** Those from before. */
  earlier: Expected[]
  wanderers: Wanderer[]
  /** The number of acknowledged requests so far. */
  counts: Record<'sends' | 'edits' | 'joins' | 'leaves' | 'asked again', number>
  /** Lets everybody go on until `hold`. */
  go(): void
  /**
   * Lets nobody begin anything new; settles when nothing is under way: what was not answered is asked again till it is.
   */
  hold(): Promise<void>
  forget(): void
  /** Lets nobody ask for anything any more. */
  end(): void
  /** Something was answered as it must not be. */
  complaints: string[]
}

/** The text of a message after so many edits. */
export function textOf(name: string, edit: number): string {
  return edit === 0 ? name : `${name} edit ${edit}`
}

/** Makes the people, on a server that answers at an origin which stays the same. */
export async function populate(stage: Stage, origin: string): Promise<Population> {
  const owner = await addPerson(stage.db)
  const house = await ask(origin, owner.token, 'POST', '/houses', { name: 'Den' })
  const { code } = await ask(origin, owner.token, 'POST', `/houses/${house.id}/invites`, {})
  const messages = new Map<string, Expected>()
  const earlier: Expected[] = []
  const counts = { sends: 0, edits: 0, joins: 0, leaves: 0, 'asked again': 0 }
  const complaints: string[] = []
  let [running, isOver] = [false, false]
  let busy: Promise<unknown>[] = []

  /** Repeats a request until the answer is no 503. Returns the status, and the data of a success. */
  async function insist(person: Person, method: string, path: string, body?: object) {
    for (;;) {
      const answer = await attempt(`${origin}${path}`, person, method, body)
      if (answer && answer.status !== 503) return answer
      if (isOver) return { status: 0, text: 'it was over', data: undefined }
      counts['asked again'] += 1
      await pause(retryMs)
    }
  }

  const rooms: string[] = [house.rooms[0].id]
  const people = await Promise.all(Array.from({ length: senders }, () => addPerson(stage.db)))
  for (const person of people) await ask(origin, person.token, 'POST', `/invites/${code}`)
  rooms.push((await ask(origin, owner.token, 'POST', `/houses/${house.id}/rooms`, { name: 'other' })).id)
  const travellers = await Promise.all(Array.from({ length: wanderers }, () => addPerson(stage.db)))
  const places = travellers.map(({ id }): Wanderer => ({ user_id: id, house_id: house.id, isIn: false }))
  let sent = 0

  async function sendAndEdit(person: Person, index: number): Promise<void> {
    const room_id = rooms[index % rooms.length]!
    sent += 1
    const name = `message ${sent} of ${index}`
    const body = { content: name, nonce: `${index}-${sent}` }
    const answer = await insist(person, 'POST', `/rooms/${room_id}/messages`, body)
    if (answer.status !== 200) return void complaints.push(`a send: ${answer.status} ${answer.text}`)
    counts.sends += 1
    const expected = { id: answer.data.id, room_id, name, acknowledgedEdit: 0, triedEdit: 0 }
    messages.set(name, expected)
    for (let edit = 1; edit <= sent % 3 && running; edit += 1) {
      expected.triedEdit = edit
      const content = textOf(name, edit)
      const edited = await insist(person, 'PATCH', `/rooms/${room_id}/messages/${expected.id}`, { content })
      if (edited.status !== 200) return void complaints.push(`an edit: ${edited.status} ${edited.text}`)
      counts.edits += 1
      expected.acknowledgedEdit = edit
    }
  }

  async function comeOrGo(person: Person, place: Wanderer): Promise<void> {
    const wasIn = place.isIn
    place.isIn = undefined
    const answer = wasIn
      ? await insist(person, 'DELETE', `/users/@me/houses/${house.id}`)
      : await insist(person, 'POST', `/invites/${code}`)
    // Who asked twice may have left with the first one, whose answer was lost.
    const hasLeft = wasIn && answer.status === 400 && answer.text.includes('out_of_scope')
    if (answer.status > 204 && !hasLeft) complaints.push(`a join or leave: ${answer.status} ${answer.text}`)
    place.isIn = !wasIn
    counts[wasIn ? 'leaves' : 'joins'] += 1
  }

  async function repeat(work: () => Promise<void>): Promise<void> {
    while (running) await work()
  }

  return {
    messages,
    wanderers: places,
    counts,
    complaints,
    earlier,
    forget() {
      earlier.push(...messages.values())
      messages.clear()
    },
    end() {
      ;[running, isOver] = [false, true]
    },
    go() {
      running = true
      busy = [
        ...people.map((person, index) => repeat(() => sendAndEdit(person, index))),
        ...travellers.map((person, index) => repeat(() => comeOrGo(person, places[index]!))),
      ]
    },
    async hold() {
      running = false
      await Promise.all(busy)
    },
  }
}

/** One try; undefined when no answer came. */
async function attempt(url: string, { token }: Person, method: string, body?: object) {
  try {
    const answer = await fetch(url, {
      method,
      headers: { authorization: token, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(givenUpAfterMs),
    })
    const text = await answer.text()
    return { status: answer.status, text, data: answer.status === 200 ? JSON.parse(text).data : undefined }
  } catch {
    return undefined
  }
}
