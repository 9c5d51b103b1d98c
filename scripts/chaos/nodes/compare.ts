import { isDeepStrictEqual } from 'node:util'
import { compareIds } from '../../../src/ids.ts'
import type { Person } from '../support/people.ts'
import type { House } from './house.ts'
import { until } from './insist.ts'
import type { Traffic } from './traffic.ts'
import { Watcher } from './watcher.ts'

const shownIds = 3

/**
 * Settles when every resident has seen every message of the round that it may see, or never will. Says what is wrong.
 */
export async function compareMessages(
  watchers: readonly Watcher[],
  traffic: Traffic,
  house: House,
): Promise<string[]> {
  const residents = watchers.filter(({ person }) => house.residents.includes(person))
  const expected = [...traffic.sent]
  const wantedBy = (person: Person) =>
    expected.map(
      ([room, ids]) => [room, room === house.staffRoom && !house.isStaff(person) ? [] : ids] as const,
    )
  const hasAll = (watcher: Watcher) =>
    watcher.isReady &&
    wantedBy(watcher.person).every(([room, ids]) => (watcher.history.seen.get(room)?.size ?? 0) >= ids.length)
  await until(() => residents.every(hasAll) && watchers.every(({ isReady }) => isReady))
  return residents.flatMap(({ person, history, isReady }) => [
    ...(isReady ? [] : ['a client is not ready any more']),
    ...wantedBy(person).flatMap(([room, ids]) => compareRoom(ids, history.seen.get(room) ?? new Set())),
  ])
}

function compareRoom(wanted: readonly string[], seen: ReadonlySet<string>): string[] {
  const missing = wanted.filter((id) => !seen.has(id)).sort(compareIds)
  const foreign = [...seen].filter((id) => !wanted.includes(id))
  const name = (ids: string[]) => `${ids.length} of ${wanted.length}: ${ids.slice(0, shownIds).join(', ')}`
  return [
    ...(missing.length > 0 ? [`messages were not seen, ${name(missing)}`] : []),
    ...(foreign.length > 0
      ? [`messages were seen that nobody sent, or that were not to be seen, ${name(foreign)}`]
      : []),
  ]
}

/** Compares the state of each client with that of a new login of the same user, except for presences. */
export async function compareStates(watchers: readonly Watcher[], origin: string): Promise<string[]> {
  const everybody = new Set(watchers.map(({ person }) => person.id))
  const findings = await Promise.all(
    [...Map.groupBy(watchers, ({ person }) => person)].map(async ([person, theirs]) => {
      const fresh = new Watcher(origin, person)
      const stateOf = ({ model }: Watcher) => model.stateWithout(everybody)
      const agrees = (watcher: Watcher) => isDeepStrictEqual(stateOf(watcher), stateOf(fresh))
      // What was under way at the login comes to both.
      await until(() => fresh.isReady && theirs.every(agrees))
      const wrong = theirs.filter((watcher) => !agrees(watcher))
      fresh.close()
      return [
        ...wrong.map(
          (watcher) => `not what a new login is told: ${differ(stateOf(watcher), stateOf(fresh))}`,
        ),
        ...fresh.findings,
      ]
    }),
  )
  return findings.flat()
}

/** The first place where two values differ, with both. */
function differ(one: unknown, other: unknown, path = ''): string {
  if (typeof one === 'object' && typeof other === 'object' && one !== null && other !== null) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)])
    for (const key of keys) {
      const [mine, theirs] = [one, other].map((each) => (each as Record<string, unknown>)[key])
      if (!isDeepStrictEqual(mine, theirs)) return differ(mine, theirs, `${path}.${key}`)
    }
  }
  const show = (value: unknown) => JSON.stringify(value)?.slice(0, 200)
  return `${path} is ${show(one)}, must be ${show(other)}`
}
