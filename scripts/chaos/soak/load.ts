import { setTimeout as pause } from 'node:timers/promises'
import { randomFrom } from '../../../test/support/random.ts'
import { addPerson, ask, type Person } from '../support/people.ts'
import type { Stage } from '../support/stage.ts'

const houseCount = 3
const workers = 4
/** Between two requests of a worker, in ms: a steady load, not the most there can be. */
const restMs = 15

type Room = { id: string; house_id: string }
type Sent = { id: string; room_id: string; author: Person }

/** People in houses who do a bit of everything. */
export type Load = {
  /** What was acknowledged since the last `forget`: ids of messages by room. */
  sent: Map<string, string[]>
  counts: Record<string, number>
  findings: string[]
  forget(): void
  /** Goes on for so long; settles when nothing is under way any more. */
  goOn(ms: number): Promise<void>
}

/** Makes the people, who are all members of all houses, and one who comes and goes. */
export async function populate(stage: Stage, origin: string, people: Person[], seed: number): Promise<Load> {
  const { number: random, pick, weighted } = randomFrom(seed)
  const wanderer = await addPerson(stage.db)
  const rooms: Room[] = []
  const codes: string[] = []
  for (let n = 0; n < houseCount; n += 1) {
    const owner = people[n]!
    const house = await ask(origin, owner.token, 'POST', '/houses', { name: `House ${n}` })
    const { code } = await ask(origin, owner.token, 'POST', `/houses/${house.id}/invites`, {})
    for (const person of people) {
      if (person !== owner) await ask(origin, person.token, 'POST', `/invites/${code}`)
    }
    rooms.push({ id: house.rooms[0].id, house_id: house.id })
    codes.push(code)
  }

  const sent = new Map<string, string[]>(rooms.map(({ id }) => [id, []]))
  const recent: Sent[] = []
  const counts: Record<string, number> = {}
  const findings: string[] = []
  let wandering = false

  const acts: Record<string, { weight: number; act(person: Person, room: Room): Promise<unknown> }> = {
    send: {
      weight: 50,
      async act(author, room) {
        const mention = random() < 0.1 ? ` <@${pick(people)!.id}>` : ''
        const body = { content: `message ${random()}${mention}`, nonce: `${random()}` }
        const { id } = await ask(origin, author.token, 'POST', `/rooms/${room.id}/messages`, body)
        sent.get(room.id)!.push(id)
        recent.push({ id, room_id: room.id, author })
        if (recent.length > 100) recent.shift()
      },
    },
    edit: {
      weight: 8,
      async act() {
        const message = recent.at(-1)
        if (!message) return
        const path = `/rooms/${message.room_id}/messages/${message.id}`
        await ask(origin, message.author.token, 'PATCH', path, { content: `edited ${random()}` })
      },
    },
    delete: {
      weight: 4,
      async act() {
        // The oldest: nobody edits it any more.
        const message = recent.length > 50 ? recent.shift() : undefined
        if (!message) return
        await ask(origin, message.author.token, 'DELETE', `/rooms/${message.room_id}/messages/${message.id}`)
      },
    },
    history: {
      weight: 15,
      act: (person, room) => ask(origin, person.token, 'GET', `/rooms/${room.id}/messages?limit=50`),
    },
    mentions: { weight: 5, act: (person) => ask(origin, person.token, 'GET', '/streams/@me/mentions') },
    'own user': { weight: 10, act: (person) => ask(origin, person.token, 'GET', '/users/@me') },
    profile: {
      weight: 2,
      act: (person) => ask(origin, person.token, 'PATCH', '/users/@me', { bio: `at ${Date.now()}` }),
    },
    typing: {
      weight: 3,
      act: (person, room) => ask(origin, person.token, 'POST', `/rooms/${room.id}/typing`, {}),
    },
    'join and leave': {
      weight: 3,
      async act() {
        if (wandering) return
        wandering = true
        const house = rooms.indexOf(pick(rooms)!)
        await ask(origin, wanderer.token, 'POST', `/invites/${codes[house]}`)
        await ask(origin, wanderer.token, 'DELETE', `/users/@me/houses/${rooms[house]!.house_id}`)
        wandering = false
      },
    },
  }
  const choices = Object.entries(acts).map(([name, { weight }]) => [weight, name] as const)

  async function work(until: number): Promise<void> {
    while (performance.now() < until) {
      const name = weighted(choices)
      counts[name] = (counts[name] ?? 0) + 1
      await acts[name]!.act(pick(people)!, pick(rooms)!).catch((error: Error) => findings.push(error.message))
      await pause(restMs)
    }
  }

  return {
    sent,
    counts,
    findings,
    forget() {
      for (const ids of sent.values()) ids.length = 0
    },
    async goOn(ms) {
      const until = performance.now() + ms
      await Promise.all(Array.from({ length: workers }, () => work(until)))
    },
  }
}
