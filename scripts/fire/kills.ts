import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway } from '../../src/db/away.ts'
import { openUnhurriedDatabase } from '../../src/db/client.ts'
import { findFreePort } from '../../src/db/embedded-cluster.ts'
import { randomFrom } from '../../test/support/random.ts'
import type { Server } from '../../test/support/server.ts'
import { median } from '../percentile.ts'
import { compare } from './kills/compare.ts'
import { type Population, populate } from './kills/population.ts'
import { BrokenPromise, type Part } from './part.ts'
import { findPostmaster, signalPostgres } from './support/postgres-processes.ts'
import { openStage, type Stage } from './support/stage.ts'

const rounds = { quick: 30, long: 1_000 }
const longestMs = { quick: 60_000, long: 3 * 3_600_000 }
const workMs = { from: 60, to: 500 }
const backWithinMs = 20_000
const retryMs = 20
/** Connections come from 127.0.0.1: none takes the server's port here while it is gone. */
const host = '127.0.0.3'

export const kills: Part = {
  name: 'kills',
  promise: 'an answer of success means committed, and a repeated nonce makes no second message',
  mostlyWaits: true,
  async run({ quick, minutes, seed }) {
    const size = quick ? 'quick' : 'long'
    const random = randomFrom(seed).number
    const deadline = performance.now() + (minutes === null ? longestMs[size] : minutes * 60_000)
    const stage = await openStage()
    const killed: Record<Victim, number[]> = {
      server: [],
      'PostgreSQL, immediate': [],
      'PostgreSQL, kill -9': [],
    }
    try {
      const environment = { HOST: host, PORT: String(await findFreePort()) }
      let server = await stage.startServer(environment)
      const population = await populate(stage, server.origin)
      const figures = () => ({
        kills: Object.values(killed).flat().length,
        ...population.counts,
        ...Object.fromEntries(
          Object.entries(killed).map(([victim, ms]) => [
            `${victim}: kills, and ms until all went on`,
            describe(ms),
          ]),
        ),
      })
      for (let round = 0; round < rounds[size] && performance.now() < deadline; round += 1) {
        const victim = victims[round % victims.length]!
        population.go()
        await pause(workMs.from + random() * (workMs.to - workMs.from))
        const started = performance.now()
        server = await kill(victim, stage, server, environment)
        await within(backWithinMs, population.hold(), () => `after the kill of ${victim} requests hang`)
        killed[victim].push(Math.round(performance.now() - started))
        const wrong = await compareWithDatabase(stage, population)
        if (wrong.length > 0) {
          const told = wrong.slice(0, 10).join('\n  ')
          throw new BrokenPromise(`${wrong.length} wrong after the kill of ${victim}:\n  ${told}`, figures())
        }
        population.forget()
      }
      return { ...figures(), lost: 0, doubled: 0 }
    } finally {
      await stage.close()
    }
  },
}

type Victim = 'server' | 'PostgreSQL, immediate' | 'PostgreSQL, kill -9'
const victims: Victim[] = ['server', 'PostgreSQL, immediate', 'server', 'PostgreSQL, kill -9']

/** Kills, and gives the server that runs afterwards. PostgreSQL is brought back by the stage. */
async function kill(victim: Victim, stage: Stage, server: Server, environment: Record<string, string>) {
  if (victim === 'server') {
    await server.end('SIGKILL')
    return stage.startServer(environment)
  }
  if (victim === 'PostgreSQL, kill -9') await signalPostgres(stage, 'SIGKILL')
  else process.kill(await findPostmaster(stage), 'SIGQUIT')
  return server
}

/**
 * Compares over a new connection, as whether one of those before a kill is broken shows only when it is used, and again
 * until PostgreSQL is back: it may be that nobody has needed it since the kill.
 */
async function compareWithDatabase(stage: Stage, population: Population): Promise<string[]> {
  const deadline = performance.now() + backWithinMs
  for (;;) {
    const db = openUnhurriedDatabase(stage.databaseUrl)
    try {
      return await compare(db, population)
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > deadline) throw error
    } finally {
      await db.destroy()
    }
    await pause(retryMs)
  }
}

async function within(ms: number, work: Promise<void>, complaint: () => string): Promise<void> {
  const late = pause(ms, 'late' as const, { ref: false })
  if ((await Promise.race([work, late])) === 'late') throw new BrokenPromise(complaint())
}

function describe(ms: number[]): string {
  return `${ms.length}, half within ${median(ms)}, at most ${Math.max(0, ...ms)}`
}
