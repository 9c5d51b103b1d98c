import { setTimeout as pause } from 'node:timers/promises'
import type { ReplicatedServer } from '../../../test/support/replicated-postgres.ts'
import type { Server } from '../../../test/support/server.ts'
import type { Watcher } from '../nodes/watcher.ts'
import { BrokenPromise } from '../part.ts'
import type { Load } from './load.ts'

const fineMs = 300
/** How long the new primary is away while the old one is there. */
const replacedMs = 600
const settleMs = 200
const pollMs = 10
const patienceMs = 30_000

/** How a primary goes, and how it comes back. */
export type Loss = {
  name: string
  go(primary: ReplicatedServer): Promise<void>
  /** Called when the standby was promoted, before any process has noticed. */
  goOn?(primary: ReplicatedServer): Promise<void>
  /** It is a primary again, which would commit whatever it is asked to. */
  comeBack(primary: ReplicatedServer): Promise<void>
}

export const losses: Loss[] = [
  {
    name: 'killed',
    go: (primary) => primary.kill(),
    async comeBack(primary) {
      await primary.stopWaitingForStandby()
      await primary.start()
    },
  },
  {
    name: 'silent',
    go: (primary) => primary.signal('SIGSTOP'),
    async comeBack(primary) {
      await primary.stopWaitingForStandby()
      await primary.signal('SIGCONT')
      await primary.query('select pg_reload_conf()')
    },
  },
  {
    // No connection to it breaks.
    name: 'paused',
    go: (primary) => primary.signal('SIGSTOP'),
    goOn: (primary) => primary.signal('SIGCONT'),
    async comeBack(primary) {
      await primary.stopWaitingForStandby()
      await primary.query('select pg_reload_conf()')
    },
  },
]

export type Scene = {
  primary: ReplicatedServer
  standby: ReplicatedServer
  servers: Server[]
  watchers: Watcher[]
  load: Load
}

/** What a round found, in ms: until every server wrote again after the promotion, and until all clients were ready. */
export type Round = { backMs: number; readyMs: number }

/** Loses the primary under load, and promotes the standby; then the old primary comes back, and the new one goes for a moment. */
export async function failOver(scene: Scene, loss: Loss, waitMs: number): Promise<Round> {
  const { primary, standby, load, watchers } = scene
  const areReady = () => watchers.every(({ isReady }) => isReady)
  await until('the clients are logged in', areReady)
  for (const watcher of watchers) watcher.forget()
  const began = performance.now()
  const from = load.acknowledged.length
  await pause(fineMs)
  await loss.go(primary)
  const lost = performance.now()
  await pause(waitMs)
  await standby.promote()
  const promoted = performance.now()
  await loss.goOn?.(primary)
  const backMs = (await writesSince(scene, lost)) - promoted
  await until('the clients are ready again', areReady)
  const readyMs = performance.now() - promoted

  await loss.comeBack(primary)
  const before = await settled(primary)
  await standby.kill()
  await pause(replacedMs)
  await standby.start()
  await writesSince(scene, performance.now())
  const after = await written(primary)
  if (after !== before) throw new BrokenPromise(`the old primary was written to: ${before} became ${after}`)

  const acknowledged = load.acknowledged.slice(from)
  await until('each client has seen every message', () =>
    watchers.every(({ isReady, history }) => {
      const seen = history.seen.get(load.room)
      return isReady && acknowledged.every(({ id, sentAt }) => sentAt < began || seen?.has(id))
    }),
  )
  return { backMs, readyMs }
}

/** Settles when every server has acknowledged a message that was sent since then; returns when the last of them did. */
async function writesSince({ servers, load }: Scene, since: number): Promise<number> {
  const from = Math.max(
    0,
    load.acknowledged.findLastIndex(({ at }) => at < since),
  )
  const firstOf = (server: Server) =>
    load.acknowledged.slice(from).find((one) => one.server === server && one.sentAt > since)
  await until('every server writes again', () => servers.every(firstOf))
  return Math.max(...servers.map((server) => firstOf(server)!.at))
}

/** The same, once what was sent to it before its loss is carried out. */
async function settled(server: ReplicatedServer): Promise<string> {
  const deadline = performance.now() + patienceMs
  for (let last = ''; performance.now() < deadline; ) {
    const state = await written(server)
    if (state === last) return state
    last = state
    await pause(settleMs)
  }
  throw new BrokenPromise('the old primary is still written to')
}

/** The state of what requests write, as text to compare. */
async function written(server: ReplicatedServer): Promise<string> {
  const rows = await server.query<{ state: string }>(`
    select concat_ws(' ', (select count(*) from messages), (select max(id) from messages), (select max(bio) from users),
      (select sum(tup_inserted + tup_updated + tup_deleted) from pg_stat_database)) as state`)
  return rows[0]!.state
}

async function until(what: string, isSo: () => unknown): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!isSo()) {
    if (performance.now() > deadline) throw new BrokenPromise(`not within ${patienceMs / 1_000} s: ${what}`)
    await pause(pollMs)
  }
}
