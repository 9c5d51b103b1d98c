import type { Db } from '../../../src/database/client.ts'
import { allowedDelayMs } from '../support/own-delay.ts'
import type { Person } from '../support/people.ts'
import type { Order, Toll } from './attacker.ts'
import type { Look, Probe } from './calm.ts'

/** What an attack is made from: an empty server, and the ten accounts that attack it. */
export type Scene = { db: Db; people: Person[] }

/** The observations of an attack that has lasted `seconds`. */
export type Course = {
  before: Look
  during: Look
  toll: Toll
  seconds: number
  /** By how many MB the memory of PostgreSQL has grown. */
  postgresGrownMb: number
}

/** An attack on what one account, address or socket can cost. */
export type WeightAttack = {
  name: string
  /** Quick runs have it, too. */
  isQuick?: boolean
  /** It sets limits of the server that others would meet as well. */
  limitsServer?: boolean
  /** Fills the database, and gives what the attackers do. */
  prepare(scene: Scene): Promise<Plan>
}

export type Plan = {
  orders: Order[]
  /** What others do besides what they do during every attack. */
  probes?: Probe[]
  /** What is wrong besides what is wrong with every attack. */
  judge?(course: Course): string[] | Promise<string[]>
  /** Further settings of the server. */
  environment?: Record<string, string>
  close?(): Promise<void>
}

/** By how many ms longer an answer may take because the machine is busy. */
export function allowedDelayIn({ before, during }: Course): number {
  return allowedDelayMs(Math.max(before.ownDelayMs, during.ownDelayMs))
}

/** Where attackers come from that have no account. */
export const attackersAddress = '127.0.0.1'

/** The same requests of each of some people, so many at once of each. */
export function ordersOf(
  people: readonly { token: string }[],
  atOnce: number,
  asked: Extract<Order, { kind: 'requests' }>['asked'],
): Order[] {
  return people.map(({ token }) => ({ kind: 'requests', from: attackersAddress, token, atOnce, asked }))
}

/** Logins to the gateway without end, one at a time of each of some people. */
export function loginsOf(people: readonly { token: string }[]): Order[] {
  return people.map(({ token }) => ({ kind: 'session', token, frames: [], afterwards: 'leaves' }))
}

/** The answers of an attack but those with this status. */
export function answersBut({ answers }: Toll, status: number): number {
  const others = Object.entries(answers).filter(([each]) => each !== String(status))
  return others.reduce((sum, [, count]) => sum + count, 0)
}

/** Orders for sockets of these people, which read everything and send these frames over and over. */
export function readersOf(people: readonly { token: string }[], frames: string[] = []): Order[] {
  return people.map(({ token }) => ({ kind: 'session', token, frames, afterwards: 'reads' }))
}

/** The faults of messages of others: how long they take to be answered, and to arrive. */
export function judgeSends(course: Course): string[] {
  return ['send', 'delivery'].flatMap((name) => {
    const [usual, now] = [course.before.seen.get(name)!.p50, course.during.seen.get(name)!.p50]
    const most = Math.max(3 * usual, usual + 20) + allowedDelayIn(course)
    if (now <= most) return []
    return [`half of the others' ${name} took more than ${Math.round(now)} ms, ${Math.round(usual)} before`]
  })
}
