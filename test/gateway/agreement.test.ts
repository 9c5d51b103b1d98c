import { expect, test, vi } from 'vitest'
import { presenceOf } from '../../src/events/presence.ts'
import { type Client, expectExact, type Frame, listen, logIn, resume } from '../support/gateway.ts'
import { Model } from '../support/gateway-model.ts'
import { randomFrom } from '../support/random.ts'
import { randomActs } from '../support/random-acts.ts'
import { UnreadModel } from '../support/unread-model.ts'
import { bus, call, type Person, user } from '../support/world.ts'

/** So much a walk must have seen for its comparisons to say something. */
const leastTold = 10
const operations = Number(process.env.SOAK_OPERATIONS ?? 200)
const seed = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000)
const atOnce = 4
const compareEvery = 100
const roomsToRead = 3

const app = await listen({ offlineAfterMs: 20, maxDetachedPerUser: 1_000 })
const random = randomFrom(seed)

/** A person whose client keeps a model, over as many connections as it takes. */
class Watcher {
  readonly person: Person
  client: Client
  readonly sessionId: string
  readonly #frames: Frame[] = []
  readonly told = new Set<string>()
  readonly model = new Model([])
  readonly unread: UnreadModel
  #applied = 0

  constructor(person: Person, client: Client) {
    this.person = person
    this.client = client
    this.sessionId = client.events[0]!.d.session_id
    this.unread = new UnreadModel(person.id)
    this.applyAll()
  }

  /** Everything that came, each event once and in order, its keys exact. */
  applyAll(): void {
    for (const frame of this.client.events.slice(this.#applied)) {
      expect(frame.seq).toBe(this.#frames.length + 1)
      expectExact(frame)
      this.model.apply(frame)
      this.unread.apply(frame)
      this.#frames.push(frame)
      this.told.add(frame.e!)
    }
    this.#applied = this.client.events.length
  }

  async cutAndResume(): Promise<void> {
    await this.client.cut()
    this.applyAll()
    if (random.number() < 0.5) await act(this.person, this.model.known)
    const isElsewhere = latecomers.some(({ person }) => person === this.person)
    if (random.number() < 0.5 && !isElsewhere) await settled(this.person, 'offline')
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

/** Somebody who comes and goes. */
class Visitor {
  readonly person: Person
  #client: Client | undefined

  constructor(person: Person) {
    this.person = person
  }

  get presence(): 'online' | 'offline' {
    return this.#client ? 'online' : 'offline'
  }

  async turn(): Promise<void> {
    if (!this.#client) this.#client = await logIn(app, this.person)
    else {
      await (random.number() < 0.5 ? this.#client.cut() : this.#client.close())
      this.#client = undefined
    }
  }
}

/** Logs in while others act: what it is told of that is part of its state, or follows. */
class Latecomer {
  readonly person: Person
  readonly #login: Promise<Client>

  constructor(person: Person) {
    this.person = person
    this.#login = logIn(app, person, { extended: true })
  }

  /** What its client has made of all that was published so far. */
  async leave(): Promise<Model> {
    const client = await this.#login
    client.takeAll()
    await bus.publish([{ type: 'settings_updated', user_id: this.person.id }])
    await client.next('SETTINGS_UPDATE')
    for (const [place, frame] of client.events.entries()) {
      expect(frame.seq).toBe(place + 1)
      expectExact(frame)
    }
    const { house_ids } = client.events[0]!.d
    const joins = client.events.slice(1, house_ids.length + 1)
    expect(joins.map(({ e, d }) => [e, d.id])).toEqual(house_ids.map((id: string) => ['HOUSE_JOIN', id]))
    await client.close()
    return new Model(client.events)
  }
}

const watchers: Watcher[] = []
const latecomers: Latecomer[] = []
for (let number = 0; number < 5; number += 1) {
  const person = await user()
  watchers.push(new Watcher(person, await logIn(app, person, { extended: true, zlib: number % 2 === 0 })))
}
const visitors = [new Visitor(await user()), new Visitor(await user())]
const people = [...watchers, ...visitors].map(({ person }) => person)
/** What the blocked make of somebody's presence grows old, even when the block is lifted: so only some block. */
const blockers = new Set([people[0]!.id, people[6]!.id])
const act = randomActs(random, people, (person) => blockers.has(person.id))

test(`events and state agree after ${operations} random operations (seed ${seed})`, {
  timeout: 3_600_000,
}, async () => {
  const told = new Set<string>()
  // By chance a walk may see little: then it goes on.
  const isOver = (done: number) => done >= operations && (told.size > leastTold || done >= 5 * operations)
  for (let done = 0; !isOver(done); done += atOnce) {
    const acting = Array.from({ length: atOnce }, () => {
      return act(random.pick(people)!, random.pick(watchers)!.model.known)
    })
    if (random.number() < 0.1) latecomers.push(new Latecomer(random.pick(watchers)!.person))
    await Promise.all(acting)
    if (random.number() < 0.1) await random.pick(watchers)!.cutAndResume()
    if (random.number() < 0.1) await random.pick(visitors)!.turn()
    for (const watcher of watchers) watcher.applyAll()
    if (done % compareEvery < atOnce || done + atOnce >= operations) await compare(told)
  }
  for (const watcher of watchers) watcher.expectOrder()
  expect(told.size).toBeGreaterThan(leastTold)
})

function settled(person: Person, presence: 'online' | 'offline'): Promise<void> {
  return vi.waitFor(() => expect(presenceOf(person.id)).toBe(presence), { timeout: 5_000, interval: 5 })
}

/** What each client made of the events, against what a new login is told, and against HTTP. */
async function compare(told: Set<string>): Promise<void> {
  for (const { person } of watchers) await settled(person, 'online')
  for (const { person, presence } of visitors) await settled(person, presence)
  // Behind what is still being told of anybody's presence, which nobody waits for.
  await bus.publish(people.map(({ id }) => ({ type: 'settings_updated', user_id: id })))
  for (const watcher of watchers) {
    await watcher.settle()
    for (const name of watcher.told) told.add(name)
    const fresh = await logIn(app, watcher.person, { extended: true })
    expect(watcher.model.stateWithout(blockers)).toEqual(new Model(fresh.events).stateWithout(blockers))
    for (const late of latecomers.filter(({ person }) => person === watcher.person)) {
      const model = await late.leave()
      expect(model.stateWithout(blockers)).toEqual(new Model(fresh.events).stateWithout(blockers))
    }
    await compareInit(watcher, fresh.events[0]!.d)
    await compareHttp(watcher)
    await fresh.close()
  }
  latecomers.length = 0
}

async function compareInit({ person, model, unread }: Watcher, init: Frame['d']): Promise<void> {
  const online = Object.keys(init.presences).filter((id) => !blockers.has(id))
  expect(online.sort()).toEqual(model.online(new Set([...blockers, person.id])))
  const { data } = (await call(person, 'GET', '/users/@me/read-state')).body
  if (unread.stale.size > 0) unread.refresh(data, await mentionsOf(person))
  expect(unread.readStates).toEqual(data)
  expect(init.read_state).toEqual(data)
}

async function mentionsOf(person: Person): Promise<{ id: string; room_id: string; author_id: string }[]> {
  const all: { id: string; room_id: string; author_id: string }[] = []
  for (let page = all.slice(0, 0), before = ''; page.length === 100 || before === ''; ) {
    page = (await call(person, 'GET', `/streams/@me/mentions?limit=100${before}`)).body.data
    all.push(...page)
    before = `&before=${page.at(-1)?.id ?? 1}`
  }
  return all
}

/** The lists of houses and private rooms, and the history of some rooms. */
async function compareHttp({ person, model, unread }: Watcher): Promise<void> {
  const [houses, rooms] = await Promise.all(
    ['houses', 'rooms'].map((list) => call(person, 'GET', `/users/@me/${list}`)),
  )
  const idsOf = (answer: typeof houses) => answer!.body.data.map((one: { id: string }) => one.id).sort()
  expect(idsOf(houses)).toEqual(model.known.houses.sort())
  expect(idsOf(rooms)).toEqual(model.known.privateRooms.sort())
  for (let number = 0; number < roomsToRead; number += 1) {
    const id = random.pick([...unread.rooms.keys()])
    if (id === undefined) return
    const { data } = (await call(person, 'GET', `/rooms/${id}/messages?limit=100`)).body
    const oldest = BigInt(data.length < 100 ? 0 : data.at(-1).id)
    const { since } = unread.rooms.get(id)!
    const page = data.toReversed().filter((message: { id: string }) => BigInt(message.id) > since)
    const read = page.map((message: { id: string; content: string }) => [message.id, message.content])
    expect(unread.messagesFrom(id, oldest)).toEqual(read)
  }
}
