import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabaseWithoutTimeouts } from '../../src/database/client.ts'
import { randomFrom } from '../../test/support/random.ts'
import { type ReplicatedServer, startReplicatedPostgres } from '../../test/support/replicated-postgres.ts'
import { startServer } from '../../test/support/server.ts'
import { median } from '../percentile.ts'
import { Watcher } from './nodes/watcher.ts'
import { BrokenPromise, type Figures, type Part } from './part.ts'
import { beginLoad, type Load } from './standby/load.ts'
import { failOver, losses, type Round, type Scene } from './standby/rounds.ts'
import { grown } from './support/own-delay.ts'
import { addPerson } from './support/people.ts'
import { makeFolder } from './support/run-folder.ts'

const rounds = { quick: 1, long: 50 }
const processes = { quick: 1, long: 2 }
const backWithinMs = 5_000
/** From the loss of the primary until the standby is promoted, at most: nothing is noticed yet, or all of it. */
const longestWaitMs = 1_000

export const standby: Part = {
  name: 'standby',
  promise: 'a primary that dies under load loses no acknowledged message, and its standby takes its place',
  mostlyWaits: true,
  async run({ quick, minutes, seed }) {
    const size = quick ? 'quick' : 'long'
    const random = randomFrom(seed)
    const deadline = performance.now() + (minutes ?? 60) * 60_000
    const folder = await makeFolder('standby-')
    await mkdir(join(folder, 'postgres'))
    const postgres = await startReplicatedPostgres(join(folder, 'postgres'), ['autovacuum=off'])
    const db = openDatabaseWithoutTimeouts(postgres.url)
    const environment = { DATABASE_URL: postgres.url, LOG_LEVEL: 'error' }
    const servers = [await startServer(folder, { environment })]
    while (servers.length < processes[size]) servers.push(await startServer(folder, { environment }))
    const ann = await addPerson(db)
    const load = await beginLoad(servers, ann)
    const watchers = servers.map((server) => new Watcher(server.origin, ann))
    const figures: Figures = { processes: servers.length }
    const found = new Map<string, Round[]>()
    let [primary, other] = postgres.servers as [ReplicatedServer, ReplicatedServer]
    try {
      for (let round = 0; round < rounds[size] && performance.now() < deadline; round += 1) {
        if (round > 0) await other.follow(primary)
        const loss = losses[round % losses.length]!
        const scene: Scene = { primary, standby: other, servers, watchers, load }
        const outcome = await failOver(scene, loss, random.number() * longestWaitMs)
        found.set(loss.name, [...(found.get(loss.name) ?? []), outcome])
        ;[primary, other] = [other, primary]
        describe(figures, found, load)
        if (outcome.backMs > grown(backWithinMs))
          throw new BrokenPromise(
            `nothing was written for ${Math.round(outcome.backMs)} ms after a promotion`,
          )
        const findings = [...load.wrong, ...watchers.flatMap((watcher) => watcher.findings)]
        if (findings.length > 0) throw new BrokenPromise(findings.slice(0, 3).join('; '))
      }
      await load.end()
      figures.lost = await countLost(primary, load)
      figures['slowest answer'] = `${Math.round(load.slowestMs)} ms`
      if (figures.lost > 0) throw new BrokenPromise(`${figures.lost} messages are not there`)
      if (load.acknowledged.length === 0) throw new BrokenPromise('no message was acknowledged')
      if (servers.some(({ child }) => child.exitCode !== null)) throw new BrokenPromise('a server has ended')
      return figures
    } catch (error) {
      if (error instanceof BrokenPromise) throw new BrokenPromise(error.message, figures)
      throw error
    } finally {
      for (const watcher of watchers) watcher.close()
      void load.end()
      await Promise.all(servers.map((server) => server.end('SIGKILL')))
      await db.destroy()
      await postgres.stop()
    }
  },
}

async function countLost(primary: ReplicatedServer, { acknowledged }: Load): Promise<number> {
  const rows = await primary.query<{ id: string }>('select id from messages')
  const present = new Set(rows.map(({ id }) => id))
  return acknowledged.filter(({ id }) => !present.has(id)).length
}

function describe(figures: Figures, found: Map<string, Round[]>, load: Load): void {
  for (const [name, outcomes] of found) {
    const [back, ready] = [outcomes.map(({ backMs }) => backMs), outcomes.map(({ readyMs }) => readyMs)]
    figures[`primary ${name}: rounds`] = outcomes.length
    figures[`primary ${name}: ms from the promotion to writes at all processes, p50 and most`] = pair(back)
    figures[`primary ${name}: ms from the promotion until all clients were ready, p50 and most`] = pair(ready)
  }
  figures['messages acknowledged'] = load.acknowledged.length
  figures['requests refused meanwhile'] = load.refused
}

function pair(values: number[]): string {
  return `${Math.round(median(values))}, ${Math.round(Math.max(...values))}`
}
