import type { FastifyInstance } from 'fastify'
import { type Client, expectExact, type Frame, logIn } from './gateway.ts'
import { untilNoted } from './presences.ts'
import { inviteBy } from './scenes.ts'
import {
  block,
  bus,
  call,
  type Den,
  friends,
  group,
  house,
  message,
  oneToOne,
  type Person,
  role,
  user,
} from './world.ts'

/** The possible receivers, by their relation to the caller and to the caller's house. */
export const columns = [
  'caller',
  'again',
  'member',
  'unreading',
  'blocked',
  'stranger',
  'friend',
  'left',
  'banned',
  'partner',
  'bot',
] as const
/** `again` is the caller's second socket, that of a client of ours. */
export type Column = (typeof columns)[number]

/**
 * A house of the caller with a plain member, one who cannot read its rooms, and one whom the caller has blocked; a pair
 * of the caller with the partner; a group of the caller with the partner and the blocked one. All are connected.
 */
export type EventScene = {
  app: FastifyInstance
  people: Record<Column, Person>
  clients: Record<Column, Client>
  den: Den
  role_id: string
  gag_id: string
  pair: string
  group: string
  /** By the caller: in the house, the pair and the group. */
  messages: { house: string; pair: string; group: string }
  code: string
}

const readMessages = 2

export async function eventScene(app: FastifyInstance): Promise<EventScene> {
  const caller = await user()
  const people = { caller, again: caller } as EventScene['people']
  const make = async (name: Column) => {
    people[name] = await user(name === 'bot' ? { bot_of: caller } : {})
  }
  await Promise.all(columns.slice(2).map(make))
  const { member, unreading, blocked, left, banned, partner } = people
  const den = await house({ owner: caller, members: [member, unreading, blocked, left, banned] })
  const gag_id = await role(den, { deny: readMessages, position: 2, members: [unreading] })
  const role_id = await role(den, { position: 1 })
  const pair = await oneToOne(caller, partner)
  const trio = await group(caller, partner, blocked)
  await friends(caller, people.friend)
  await block(caller, blocked)
  await call(left, 'DELETE', `/users/@me/houses/${den.id}`)
  await call(caller, 'PUT', `/houses/${den.id}/bans/${banned.id}`, {})
  const code = await inviteBy(den, caller)
  const [clients, messages] = [{} as EventScene['clients'], {} as EventScene['messages']]
  const scene = { app, people, clients, den, role_id, gag_id, pair, group: trio, messages, code }
  await renewMessages(scene)
  return scene
}

/** New messages of the caller in each place. */
export async function renewMessages(scene: EventScene): Promise<void> {
  const { caller } = scene.people
  scene.messages = {
    house: await message(scene.den.room_id, caller),
    pair: await message(scene.pair, caller),
    group: await message(scene.group, caller),
  }
}

/** Logs everybody in who is not connected. */
export async function connect({ app, people, clients }: EventScene, ...names: Column[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      clients[name] = await logIn(app, people[name], { extended: name === 'again' })
    }),
  )
  await untilNoted(...names.map((name) => people[name]))
}

/** The events that each client received since the last call, with exact keys; none for closed connections. */
export async function drainReceived({ people, clients }: EventScene): Promise<Record<Column, string[]>> {
  // The first round of witnesses comes behind what is on its way; the second shows that all of it has arrived.
  for (let round = 0; round < 2; round += 1)
    await bus.publish(columns.map((name) => witnessFor(people[name].id)))
  const result = {} as Record<Column, string[]>
  for (const name of columns) {
    const client = clients[name]
    const isWitness = (frame: Frame) =>
      frame.e === 'RELATIONSHIP_UPDATE' && frame.d.user_id === people[name].id
    const seen = marks.get(client) ?? 0
    const expected = client.closed ? 0 : people[name] === people.caller ? 4 : 2
    await client.until(() => client.events.slice(seen).filter(isWitness).length >= expected, 'witnesses')
    const fresh = client.events.slice(seen).filter((frame) => !isWitness(frame))
    for (const frame of fresh) expectExact(frame)
    result[name] = fresh.map((frame) => frame.e!)
    marks.set(client, client.events.length)
  }
  return result
}
const marks = new WeakMap<Client, number>()

/** What no action brings about: a relation to oneself. */
function witnessFor(user_id: string) {
  const last_updated_at = new Date().toISOString()
  const fact = { type: 'relationship_updated', user_id, other_id: user_id, relationship_type: 0 } as const
  return { ...fact, last_updated_at }
}
