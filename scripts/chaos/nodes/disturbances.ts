import { setTimeout as pause } from 'node:timers/promises'
import { startRedis } from '../../../test/support/redis.ts'
import { findPostmaster, signalPostgres } from '../support/postgres-processes.ts'
import type { Stage } from '../support/stage.ts'
import type { Cluster } from './cluster.ts'
import { need } from './insist.ts'
import type { Traffic } from './traffic.ts'
import type { Ending } from './watcher.ts'

const frozenMs = 20_000
/** The number of messages that are sent during a disturbance. */
const sentMeanwhile = 5

export type Scene = {
  stage: Stage
  cluster: Cluster
  traffic: Traffic
  redis: Redis | undefined
  quick: boolean
}

/** Something that is done to processes while messages are sent. */
export type Disturbance<Of = Scene> = {
  name: string
  /** Causes the disturbance, and ends it. `round` chooses a process. */
  act(scene: Of, round: number): Promise<void>
  /** The connections that may end, besides those of processes that are stopped or stalled. */
  mayEnd?(ending: Ending): boolean
  /** Whether every client of a stopped process must be able to resume. */
  everybodyResumes?: boolean
}

/** A Redis that can be killed, and restarts empty. */
export type Redis = {
  url: string
  killAndStart(meanwhile: () => Promise<unknown>): Promise<void>
  close(): Promise<void>
}

export async function openRedis(): Promise<Redis> {
  let redis = await startRedis()
  return {
    url: redis.url,
    async killAndStart(meanwhile) {
      await redis.stop()
      await meanwhile()
      redis = await startRedis(redis.port)
    },
    close: () => redis.stop(),
  }
}

/** What is only counted so far, until it is switched on. */
const promised = {
  /** A client that was away while rooms were deleted or rights changed may be refused (docs/gateway.md#resuming). */
  resumeElsewhere: false,
}

export const kill: Disturbance = {
  name: 'kill -9',
  async act({ cluster }, round) {
    await cluster.replace(round % cluster.servers.length, 'SIGKILL')
  },
}

export const stop: Disturbance = {
  name: 'SIGTERM',
  everybodyResumes: promised.resumeElsewhere,
  async act({ cluster, traffic, quick }, round) {
    const count = cluster.servers.length
    for (let turn = 0; turn < (quick ? 1 : count); turn += 1) {
      const code = await cluster.replace((round + turn) % count, 'SIGTERM')
      if (code !== 0) traffic.findings.push(`a process that was stopped ended with ${code}`)
    }
  },
}

export const freeze: Disturbance = {
  name: 'SIGSTOP',
  act: ({ cluster }, round) => cluster.freeze(round % cluster.servers.length, () => pause(frozenMs)),
}

export const killRedis: Disturbance = {
  name: 'Redis killed',
  act: ({ redis, traffic }) => redis!.killAndStart(() => traffic.goOn(sentMeanwhile)),
}

export const restartPostgres: Disturbance = {
  name: 'PostgreSQL restarted',
  async act({ stage }) {
    const before = await findPostmaster(stage)
    process.kill(before, 'SIGINT')
    await needPostgres(stage, before)
  },
  mayEnd: ({ stage }) => stage !== 'ready',
}

export const killPostgres: Disturbance = {
  name: 'PostgreSQL killed',
  async act({ stage }) {
    const before = await findPostmaster(stage)
    await signalPostgres(stage, 'SIGKILL')
    await needPostgres(stage, before)
  },
  mayEnd: () => true,
}

/** What is done in a quick run, and in turn in a long one. */
export const disturbances = {
  quick: { alone: [kill, stop], withRedis: [killRedis] },
  long: {
    alone: [kill, stop, freeze, restartPostgres, killPostgres],
    withRedis: [kill, stop, killRedis, freeze, restartPostgres, killPostgres],
  },
}

async function needPostgres(stage: Stage, before: number): Promise<void> {
  const isAnother = async () => (await findPostmaster(stage).catch(() => before)) !== before
  await need('PostgreSQL comes back', isAnother)
}
