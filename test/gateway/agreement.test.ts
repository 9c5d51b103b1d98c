import { expect, test } from 'vitest'
import { type Client, expectExact, type Frame, listen, logIn, resume } from '../support/gateway.ts'
import { Model } from '../support/gateway-model.ts'
import { bus, call, type Person, user } from '../support/world.ts'

const operations = Number(process.env.SOAK_OPERATIONS ?? 200)
const seed = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000)
const atOnce = 4
const compareEvery = 100

const app = await listen({ offlineAfterMs: 60_000 })
const random = numbersFrom(seed)
const invites: string[] = []
const messages: { room_id: string; id: string }[] = []

/** A person whose client keeps a model, over as many connections as it takes. */
class Watcher {
  readonly person: Person
  client: Client
  readonly sessionId: string
  readonly #frames: Frame[] = []
  readonly model: Model
  #applied = 0

  constructor(person: Person, client: Client) {
    this.person = person
    this.client = client
    this.sessionId = client.events[0]!.d.session_id
    this.model = new Model([])
    this.applyAll()
  }

  /** Everything that came, each event once and in order, its keys exact. */
  applyAll(): void {
    for (const frame of this.client.events.slice(this.#applied)) {
      expect(frame.seq).toBe(this.#frames.length + 1)
      expectExact(frame)
      this.model.apply(frame)
      this.#frames.push(frame)
    }
    this.#applied = this.client.events.length
  }

  async cutAndResume(): Promise<void> {
    await this.client.cut()
    this.applyAll()
    if (random() < 0.5) await act(pick(watchers)!)
    this.client = resume(app, this.person, this.sessionId, this.#frames.length)
    this.#applied = 0
    await this.client.next('RESUMED')
  }

  /** Settles when all that was published has come: the witness is told last. */
  async settle(): Promise<void> {
    this.client.takeAll()
    await bus.publish([{ type: 'settings_updated', user_id: this.person.id }])
    await this.client.next('SETTINGS_UPDATE')
    this.applyAll()
  }

  /** The messages of each room came in id order, each once. */
  expectOrder(): void {
    const created = this.#frames.filter((frame) => frame.e === 'MESSAGE_CREATE')
    for (const [room, frames] of Map.groupBy(created, (frame) => frame.d.room_id)) {
      const ids = frames.map((frame) => BigInt(frame.d.id))
      const rising = ids.every((id, index) => index === 0 || id > ids[index - 1]!)
      expect(rising, `messages of ${room} in order`).toBe(true)
    }
  }
}

const watchers: Watcher[] = []
for (let number = 0; number < 5; number++) {
  const person = await user()
  watchers.push(new Watcher(person, await logIn(app, person, { extended: true, zlib: number % 2 === 0 })))
}

/** One random thing that one user does over HTTP; a refusal is as good as any. */
async function act({ person, model }: Watcher): Promise<void> {
  const { houses, rooms, privateRooms, roles } = model.known
  const other = pick(watchers)!.person
  const [house, room, role] = [pick(houses) ?? '0', pick(rooms) ?? '0', pick(roles) ?? '0']
  const message = pick(messages)
  const doing: [number, () => Promise<unknown>][] = [
    [2, () => call(person, 'POST', '/houses', { name: `house ${Math.floor(random() * 1000)}` })],
    [2, () => call(person, 'PATCH', `/houses/${house}`, { name: 'renamed' })],
    [
      2,
      () =>
        call(person, 'PATCH', `/houses/${house}`, {
          name: 'x',
          default_permissions: pick([176195, 176193])!,
        }),
    ],
    [6, () => invite(person, house)],
    [8, () => call(person, 'POST', `/invites/${pick(invites) ?? 'none'}`)],
    [2, () => call(person, 'DELETE', `/users/@me/houses/${house}`)],
    [0.3, () => call(person, 'DELETE', `/houses/${house}`)],
    [1, () => call(person, 'PATCH', `/houses/${house}/owner`, { user_id: other.id })],
    [2, () => call(person, 'DELETE', `/houses/${house}/members/${other.id}`)],
    [0.5, () => call(person, 'PUT', `/houses/${house}/bans/${other.id}`, {})],
    [0.5, () => call(person, 'DELETE', `/houses/${house}/bans/${other.id}`)],
    [
      3,
      () => call(person, 'POST', `/houses/${house}/roles`, { name: 'r', position: 2, deny: pick([0, 2])! }),
    ],
    [2, () => call(person, 'PATCH', `/houses/${house}/roles/${role}`, { allow: pick([0, 2])!, deny: 0 })],
    [1, () => call(person, 'DELETE', `/houses/${house}/roles/${role}`)],
    [4, () => call(person, 'PUT', `/houses/${house}/members/${other.id}/roles/${role}`)],
    [2, () => call(person, 'DELETE', `/houses/${house}/members/${other.id}/roles/${role}`)],
    [3, () => call(person, 'POST', `/houses/${house}/rooms`, { name: 'a room' })],
    [2, () => call(person, 'PATCH', `/rooms/${room}`, { description: `about ${Math.floor(random() * 9)}` })],
    [1, () => call(person, 'DELETE', `/rooms/${room}`)],
    [2, () => call(person, 'PATCH', `/rooms/${room}/default-permissions`, { allow: 0, deny: pick([0, 2])! })],
    [2, () => call(person, 'PUT', `/rooms/${room}/overrides/${other.id}`, { type: 1, allow: 0, deny: 2 })],
    [2, () => call(person, 'PUT', `/rooms/${room}/overrides/${role}`, { type: 0, allow: 2, deny: 0 })],
    [2, () => call(person, 'DELETE', `/rooms/${room}/overrides/${other.id}`)],
    [1, () => call(person, 'POST', `/houses/${house}/entities`, { name: 'more' })],
    [12, () => send(person, room, other)],
    [
      2,
      () =>
        message &&
        call(person, 'PATCH', `/rooms/${message.room_id}/messages/${message.id}`, { content: 'e' }),
    ],
    [2, () => message && call(person, 'DELETE', `/rooms/${message.room_id}/messages/${message.id}`)],
    [2, () => message && call(person, 'POST', `/rooms/${message.room_id}/messages/${message.id}/ack`)],
    [1, () => call(person, 'POST', `/rooms/${room}/typing`)],
    [3, () => call(person, 'POST', '/users/@me/rooms', { recipient: other.id })],
    [
      2,
      () => call(person, 'POST', '/users/@me/rooms', { recipients: [other.id, pick(watchers)!.person.id] }),
    ],
    [2, () => call(person, 'DELETE', `/users/@me/rooms/${pick(privateRooms) ?? '0'}`)],
    [2, () => call(person, 'PUT', `/rooms/${pick(privateRooms) ?? '0'}/recipients/${other.id}`)],
    [1, () => call(person, 'DELETE', `/rooms/${pick(privateRooms) ?? '0'}/recipients/${other.id}`)],
    [3, () => call(person, 'POST', '/relationships/@me/friend-requests', { user_id: other.id })],
    [1, () => call(person, 'DELETE', `/relationships/@me/friend-requests/${other.id}`)],
    [1, () => call(person, 'DELETE', `/relationships/@me/friends/${other.id}`)],
    [0.5, () => call(person, 'PUT', `/relationships/@me/blocked/${other.id}`)],
    [0.5, () => call(person, 'PUT', `/relationships/@me/restricted/${other.id}`)],
    [2, () => call(person, 'DELETE', `/relationships/@me/blocked/${other.id}`)],
    [2, () => call(person, 'DELETE', `/relationships/@me/restricted/${other.id}`)],
    [2, () => call(person, 'PATCH', '/users/@me', { bio: `bio ${Math.floor(random() * 100)}` })],
    [1, () => call(person, 'PATCH', '/users/@me/settings', { onboarded: random() < 0.5 })],
  ].map(([weight, run]) => [weight as number, run as () => Promise<unknown>])
  await weighted(doing)()
}

async function invite(person: Person, house: string): Promise<void> {
  const answer = await call(person, 'POST', `/houses/${house}/invites`, {})
  if (answer.status === 200) invites.push(answer.body.data.code)
}

async function send(person: Person, room: string, other: Person): Promise<void> {
  const answer = await call(person, 'POST', `/rooms/${room}/messages`, { content: `hello <@${other.id}>` })
  if (answer.status === 200) messages.push({ room_id: room, id: answer.body.data.id })
}

test(`events and state agree after ${operations} random operations (seed ${seed})`, {
  timeout: 3_600_000,
}, async () => {
  const told = new Set<string>()
  for (let done = 0; done < operations; done += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, () => act(pick(watchers)!)))
    if (random() < 0.1) await pick(watchers)!.cutAndResume()
    for (const watcher of watchers) watcher.applyAll()
    if (done % compareEvery < atOnce || done + atOnce >= operations) await compare(told)
  }
  for (const watcher of watchers) watcher.expectOrder()
  expect(told.size).toBeGreaterThan(10)
})

/** What each client made of the events, against what a new login is told. */
async function compare(told: Set<string>): Promise<void> {
  for (const watcher of watchers) {
    await watcher.settle()
    for (const frame of watcher.client.events) told.add(frame.e!)
    const fresh = await logIn(app, watcher.person, { extended: true })
    expect(watcher.model.state).toEqual(new Model(fresh.events).state)
    await fresh.close()
  }
}

function pick<Item>(items: readonly Item[]): Item | undefined {
  return items[Math.floor(random() * items.length)]
}

function weighted<Item>(choices: readonly [number, Item][]): Item {
  let left = random() * choices.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, item] of choices) {
    left -= weight
    if (left < 0) return item
  }
  return choices.at(-1)![1]
}

/** Numbers from 0 to 1, the same for the same seed. */
function numbersFrom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
