import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../../test/support/random.ts'
import type { Person } from '../support/people.ts'
import type { House } from './house.ts'
import { insist, Late, need } from './insist.ts'

const sendEveryMs = 50
const changeEveryMs = 200
/** A process that stood still carries out what was asked of it, though the one who leaves has long asked elsewhere. */
const noMember = 'out_of_scope'

/** Messages and changes in a house, by way of a load balancer. Everything is asked again until it is answered. */
export type Traffic = {
  /** The ids of the messages that were acknowledged since the round began, by room. */
  readonly sent: Map<string, string[]>
  readonly counts: Record<'messages' | 'changes' | 'asked again', number>
  /** Something was answered as it must not be. */
  readonly findings: string[]
  /** Makes a room for the messages of a round, and deletes that of the one before. */
  beginRound(): Promise<void>
  go(): void
  /** Settles when this many more messages were acknowledged. */
  goOn(messages: number): Promise<void>
  /** Begins nothing more; settles when nothing is under way. */
  stop(): Promise<void>
}

export function openTraffic(origin: string, house: House, random: Random): Traffic {
  const { owner, residents, wanderers } = house
  const staff = residents.filter(house.isStaff)
  const sent = new Map<string, string[]>()
  const counts = { messages: 0, changes: 0, 'asked again': 0 }
  const findings: string[] = []
  let [number, isRunning] = [0, false]
  let roomOfRound: string | undefined
  let loops: Promise<void>[] = []

  /** A refusal of the first try is a finding; later, an earlier one may have been carried out. */
  async function act({ token }: Person, method: string, path: string, body?: object) {
    const reply = await insist(origin, token, method, path, body)
    counts['asked again'] += reply.tries - 1
    const { status, text, tries } = reply
    if (status > 204 && tries === 1 && !text.includes(noMember))
      findings.push(`${method} ${path}: ${status} ${text}`)
    return reply.data
  }

  async function send(): Promise<void> {
    number += 1
    const room = random.pick([house.general, house.staffRoom, roomOfRound!])!
    const author = random.pick(room === house.staffRoom ? staff : residents)!
    const body = { content: `message ${number}`, nonce: `${number}` }
    const reply = await insist(origin, author.token, 'POST', `/rooms/${room}/messages`, body)
    counts['asked again'] += reply.tries - 1
    if (reply.status !== 200) return void findings.push(`a send: ${reply.status} ${reply.text}`)
    sent.get(room)!.push(reply.data.id)
    counts.messages += 1
  }

  /** Makes changes, a step of the generator each, with a pause after each; once begun, they are carried to their end. */
  async function change(changes: () => AsyncGenerator<unknown>): Promise<void> {
    while (isRunning) {
      for await (const _done of changes()) {
        counts.changes += 1
        if (isRunning) await pause(changeEveryMs)
      }
    }
  }

  async function* changeRooms() {
    const room = await act(owner, 'POST', `/houses/${house.id}/rooms`, { name: 'new' })
    yield
    yield await act(owner, 'PATCH', `/rooms/${room.id}`, { description: `of ${number}` })
    yield await act(owner, 'DELETE', `/rooms/${room.id}`)
  }

  /** Who had a role that is deleted has another `last_permission_update`, of which no event tells: so nobody has it then. */
  async function* changeRoles() {
    const path = `/houses/${house.id}`
    const member = random.pick(residents)!
    const role = await act(owner, 'POST', `${path}/roles`, { name: 'new', position: 1 })
    yield
    yield await act(owner, 'PUT', `${path}/members/${member.id}/roles/${role.id}`)
    yield await act(owner, 'PATCH', `${path}/roles/${role.id}`, { name: `of ${number}` })
    yield await act(owner, 'DELETE', `${path}/members/${member.id}/roles/${role.id}`)
    yield await act(owner, 'DELETE', `${path}/roles/${role.id}`)
  }

  async function* comeAndGo(wanderer: Person) {
    yield await act(wanderer, 'POST', `/invites/${house.invite}`)
    yield await act(wanderer, 'DELETE', `/users/@me/houses/${house.id}`)
  }

  async function sendOften(): Promise<void> {
    const sending = new Set<Promise<void>>()
    for (; isRunning; await pause(sendEveryMs)) {
      const one = watch(send()).finally(() => sending.delete(one))
      sending.add(one)
    }
    await Promise.all(sending)
  }

  async function watch(work: Promise<void>): Promise<void> {
    await work.catch((error: Error) => {
      findings.push(error instanceof Late ? error.message : error.stack!)
    })
  }

  return {
    sent,
    counts,
    findings,
    async beginRound() {
      if (roomOfRound) await act(owner, 'DELETE', `/rooms/${roomOfRound}`)
      const room = await act(owner, 'POST', `/houses/${house.id}/rooms`, { name: 'talk' })
      roomOfRound = room.id as string
      sent.clear()
      for (const each of [house.general, house.staffRoom, roomOfRound]) sent.set(each, [])
    },
    go() {
      isRunning = true
      const changing = [
        change(changeRooms),
        change(changeRoles),
        ...wanderers.map((wanderer) => change(() => comeAndGo(wanderer))),
      ]
      loops = [sendOften(), ...changing].map(watch)
    },
    async goOn(messages) {
      const wanted = counts.messages + messages
      await need(`${messages} more messages`, () => counts.messages >= wanted || findings.length > 0)
    },
    async stop() {
      isRunning = false
      await Promise.all(loops)
    },
  }
}
