import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseUnavailable } from '../../src/database/availability/unavailable.ts'
import { openDatabaseWithoutTimeouts } from '../../src/database/client.ts'
import { findFreePort } from '../../src/database/embedded/embedded-cluster.ts'
import { randomFrom } from '../../test/support/random.ts'
import type { Server } from '../../test/support/server.ts'
import { median } from '../percentile.ts'
import { compare } from './kills/compare.ts'
import { type Expected, type Population, populate } from './kills/population.ts'
import { BrokenPromise, type Part } from './part.ts'
import { grown } from './support/own-delay.ts'
import { findPostmaster, signalPostgres } from './support/postgres-processes.ts'
import { openStage, type Stage } from './support/stage.ts'

const rounds = { quick: 30, long: 1_000 }
const longestMs = { quick: 60_000, long: 3 * 3_600_000 }
const workMs = { from: 60, to: 500 }
const backWithinMs = 20_000
const retryMs = 20
/** Connections come from 127.0.0.1, so that none takes the server's port while it is stopped. */
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
    let population: Population | undefined
    try {
      const environment = { HOST: host, PORT: String(await findFreePort()) }
      let server = await stage.startServer(environment)
      const people = await populate(stage, server.origin)
      population = people
      const figures = () => ({
        kills: Object.values(killed).flat().length,
        ...people.counts,
        ...Object.fromEntries(
          Object.entries(killed).map(([victim, ms]) => [
            `${victim}: kills, and ms until all went on`,
            describe(ms),
          ]),
        ),
      })
      const check = async (expected: Expected[], when: string) => {
        const wrong = await compareWithDatabase(stage, people, expected)
        if (wrong.length === 0) return
        throw new BrokenPromise(
          `${wrong.length} wrong ${when}:\n  ${wrong.slice(0, 10).join('\n  ')}`,
          figures(),
        )
      }
      const isOver = (round: number) => round >= rounds[size] || performance.now() > deadline
      for (let round = 0; round < victims.length || !isOver(round); round += 1) {
        const victim = victims[round % victims.length]!
        people.go()
        await pause(workMs.from + random() * (workMs.to - workMs.from))
        const started = performance.now()
        server = await kill(victim, stage, server, environment)
        if (await isLate(people.hold(), grown(backWithinMs)))
          throw new BrokenPromise(`after the kill of ${victim} requests hang`, figures())
        killed[victim].push(Math.round(performance.now() - started))
        await check([...people.messages.values()], `after the kill of ${victim}`)
        people.forget()
      }
      await check(people.earlier, 'in the end')
      const idle = Object.entries(people.counts).find(([, count]) => count === 0)
      if (idle) throw new BrokenPromise(`the kills met nothing: no ${idle[0]}`, figures())
      return { ...figures(), lost: 0, doubled: 0 }
    } finally {
      population?.end()
      await stage.close()
    }
  },
}

type Victim = 'server' | 'PostgreSQL, immediate' | 'PostgreSQL, kill -9'
const victims: Victim[] = ['server', 'PostgreSQL, immediate', 'server', 'PostgreSQL, kill -9']

/** Kills a process. Returns the server that runs afterwards; the stage restarts PostgreSQL. */
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
async function compareWithDatabase(
  stage: Stage,
  population: Population,
  expected: Expected[],
): Promise<string[]> {
  const deadline = performance.now() + grown(backWithinMs)
  for (;;) {
    const db = openDatabaseWithoutTimeouts(stage.databaseUrl)
    try {
      return await compare(db, population, expected)
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > deadline) throw error
    } finally {
      await db.destroy()
    }
    await pause(retryMs)
  }
}

async function isLate(work: Promise<void>, withinMs: number): Promise<boolean> {
  const late = pause(withinMs, 'late' as const, { ref: false })
  return (await Promise.race([work, late])) === 'late'
}

function describe(ms: number[]): string {
  return `${ms.length}, half within ${median(ms)}, at most ${Math.max(0, ...ms)}`
}
