import { expect, test, vi } from 'vitest'
import { presenceOf } from '../../src/events/presence.ts'
import { type Client, expectExact, type Frame, listen, logIn } from '../support/gateway.ts'
import { Model } from '../support/gateway-model.ts'
import { untilNoted } from '../support/presences.ts'
import { randomFrom } from '../support/random.ts'
import { randomActs } from '../support/random-acts.ts'
import { openTypedGateway, type TypedGateway } from '../support/typed-gateway.ts'
import { UnreadModel } from '../support/unread-model.ts'
import { bus, call, type Person, user } from '../support/world.ts'

/** The names of events that a run must include for its comparisons to mean something. */
const leastEvents = 10
const operations = Number(process.env.SOAK_OPERATIONS ?? 200)
const seed = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000)
const atOnce = 4
const compareEvery = 100
const roomsToRead = 3

const app = await listen({ offlineAfterMs: 20 })
const random = randomFrom(seed)

/** A person whose typed client keeps a model across connections. */
class Watcher {
  readonly person: Person
  readonly #typed: TypedGateway
  readonly #frames: Frame[] = []
  readonly received = new Set<string>()
  model = new Model([])
  unread: UnreadModel

  constructor(person: Person, typed: TypedGateway) {
    this.person = person
    this.#typed = typed
    this.unread = new UnreadModel(person.id)
  }

  /** Settles when the login or resume is over. */
  async untilReady(): Promise<void> {
    await eventually(() => expect(this.#typed.gateway.state.name).toBe('ready'))
    this.applyAll()
  }

  /** Applies everything received since; each event must come in order, with exact keys. */
  applyAll(): void {
    for (const frame of this.#typed.events.slice(this.#frames.length)) {
      expectExact(frame)
      if (frame.e === 'INIT_STATE') this.#begin()
      else expect(frame.seq).toBeGreaterThanOrEqual(this.#frames.at(-1)!.seq!)
      this.model.apply(frame)
      this.unread.apply(frame)
      this.#frames.push(frame)
      this.received.add(frame.e!)
    }
  }

  async cutAndResume(): Promise<void> {
    this.#typed.cut()
    this.applyAll()
    if (random.number() < 0.5) await act(this.person, this.model.known)
    const isElsewhere = latecomers.some(({ person }) => person === this.person)
    if (random.number() < 0.5 && !isElsewhere) await settled(this.person, 'offline')
    this.#typed.gateway.connect()
    await this.untilReady()
  }

  /** A refused resume leads to a login, with new models. */
  #begin(): void {
    this.model = new Model([])
    this.unread = new UnreadModel(this.person.id)
  }

  /** Settles when everything published is applied: the marker is sent last. */
  async settle(): Promise<void> {
    const taken = this.#typed.events.length
    await bus.publish([{ type: 'settings_updated', user_id: this.person.id }])
    await eventually(() => {
      const names = this.#typed.events.slice(taken).map(({ e }) => e)
      expect(names).toContain('SETTINGS_UPDATE')
    })
    this.applyAll()
  }

  /** Expects the messages of each room in id order, each once. */
  expectOrder(): void {
    const created = this.#frames.filter((frame) => frame.e === 'MESSAGE_CREATE')
    for (const [room, frames] of Map.groupBy(created, (frame) => frame.d.room_id)) {
      const ids = frames.map((frame) => BigInt(frame.d.id))
      const rising = ids.every((id, index) => index === 0 || id > ids[index - 1]!)
      expect(rising, `messages of ${room} in order`).toBe(true)
    }
  }
}

/** A person who connects and disconnects. */
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

/** Logs in while others act: their changes are part of its state, or follow. */
class Latecomer {
  readonly person: Person
  readonly #login: Promise<Client>

  constructor(person: Person) {
    this.person = person
    this.#login = logIn(app, person, { extended: true })
  }

  /** The model of its client after everything published so far. */
  async leave(): Promise<Model> {
    const client = await this.#login
    client.takeAll()
    await bus.publish([{ type: 'settings_updated', user_id: this.person.id }])
    await client.next('SETTINGS_UPDATE')
    for (const [place, frame] of client.events.entries()) {
      expect(frame.seq).toBeGreaterThanOrEqual(client.events[place - 1]?.seq ?? 0)
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
const watching = await Promise.all(Array.from({ length: 5 }, () => user()))
const visitors = [new Visitor(await user()), new Visitor(await user())]
const people = [...watching, ...visitors.map(({ person }) => person)]
/** Those who are blocked keep an outdated presence, even after the block ends: only these people block. */
const blockers = new Set([people[0]!.id, people[6]!.id])
const act = randomActs(random, people, (person) => blockers.has(person.id))

test(`events and state agree after ${operations} random operations (seed ${seed})`, {
  timeout: 3_600_000,
}, async () => {
  for (const person of watching) watchers.push(new Watcher(person, openTypedGateway(app, person)))
  for (const watcher of watchers) await watcher.untilReady()
  const received = new Set<string>()
  // A run continues until it includes enough events.
  const isOver = (done: number) =>
    done >= operations && (received.size > leastEvents || done >= 5 * operations)
  for (let done = 0; !isOver(done); done += atOnce) {
    const acting = Array.from({ length: atOnce }, () => {
      return act(random.pick(people)!, random.pick(watchers)!.model.known)
    })
    if (random.number() < 0.1) latecomers.push(new Latecomer(random.pick(watchers)!.person))
    await Promise.all(acting)
    if (random.number() < 0.1) await random.pick(watchers)!.cutAndResume()
    if (random.number() < 0.1) await random.pick(visitors)!.turn()
    for (const watcher of watchers) watcher.applyAll()
    if (done % compareEvery < atOnce || done + atOnce >= operations) await compare(received)
  }
  for (const watcher of watchers) watcher.expectOrder()
  expect(received.size).toBeGreaterThan(leastEvents)
})

function settled(person: Person, presence: 'online' | 'offline'): Promise<void> {
  return eventually(() => expect(presenceOf(person.id)).toBe(presence))
}

function eventually(holds: () => void): Promise<void> {
  return vi.waitFor(holds, { timeout: 60_000, interval: 5 })
}

/** Compares the model of each client with a new login and with HTTP. */
async function compare(received: Set<string>): Promise<void> {
  for (const { person } of watchers) await settled(person, 'online')
  for (const { person, presence } of visitors) await settled(person, presence)
  const online = visitors.filter(({ presence }) => presence === 'online')
  await untilNoted(...[...watchers, ...online].map(({ person }) => person))
  // After presences that are still being sent.
  await bus.publish(people.map(({ id }) => ({ type: 'settings_updated', user_id: id })))
  for (const watcher of watchers) {
    await watcher.settle()
    for (const name of watcher.received) received.add(name)
    const fresh = await logIn(app, watcher.person, { extended: true, zlib: random.number() < 0.5 })
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

/** Compares the lists of houses and private rooms, and the history of some rooms. */
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
