import { type Random, randomFrom } from '../../test/support/random.ts'
import { type Cluster, startCluster } from './nodes/cluster.ts'
import { measureDelivery } from './nodes/delivery.ts'
import { type Disturbance, disturbances, openRedis, type Redis, type Scene } from './nodes/disturbances.ts'
import { describeDelivery, describeRounds } from './nodes/figures.ts'
import { makeHouse } from './nodes/house.ts'
import { need } from './nodes/insist.ts'
import { type Outcome, playRound, type Watched } from './nodes/rounds.ts'
import { openTraffic } from './nodes/traffic.ts'
import { Watcher } from './nodes/watcher.ts'
import { BrokenPromise, type Figures, type Part } from './part.ts'
import { openStage, type Stage } from './support/stage.ts'

const processes = 3
const sizes = {
  quick: { people: 8, socketsEach: 2, measured: 50 },
  long: { people: 20, socketsEach: 5, measured: 500 },
}
const wanderers = 2
/** Half of them without Redis, half with it. */
const longRounds = 100
/** From the request to the event at another process, more than at one process alone. */
const maxLaterMs = 5
const shownFindings = 12

export const nodes: Part = {
  name: 'nodes',
  promise:
    'of several processes each, Redis and PostgreSQL may die: every socket gets each message once and in order, and knows what a new login is told',
  mostlyWaits: true,
  async run({ quick, minutes, seed }) {
    const random = randomFrom(seed)
    const deadline = performance.now() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000
    const stage = await openStage()
    const figures: Figures = { processes }
    const playWith = async (name: string, list: readonly Disturbance[], redis?: Redis) => {
      const rounds = quick ? list.length : longRounds / 2
      const halfMinutes = (deadline - performance.now()) / (redis ? 1 : 2)
      const until = performance.now() + halfMinutes
      await play({ stage, random, redis, quick, name, figures }, list, rounds, until)
    }
    const { alone, withRedis } = disturbances[quick ? 'quick' : 'long']
    let redis: Redis | undefined
    try {
      await playWith('without Redis', alone)
      redis = await openRedis()
      await playWith('with Redis', withRedis, redis)
      return figures
    } finally {
      await stage.close()
      await redis?.close()
    }
  },
}

type Setting = {
  stage: Stage
  random: Random
  redis: Redis | undefined
  quick: boolean
  name: string
  figures: Figures
}

/** Starts the processes, and plays the rounds, each thing at least once. */
async function play(
  setting: Setting,
  list: readonly Disturbance[],
  rounds: number,
  untilMs: number,
): Promise<void> {
  const { stage, redis, name, figures } = setting
  const cluster = await startCluster(stage, processes, redis ? { REDIS_URL: redis.url } : {})
  try {
    await measure(setting, cluster)
    const scene = await populate(setting, cluster)
    const outcomes: Outcome[] = []
    const isOver = (round: number) => round >= rounds || performance.now() > untilMs
    try {
      for (let round = 0; round < list.length || !isOver(round); round += 1) {
        const outcome = await playRound<Scene & Watched>(scene, list[round % list.length]!, round)
        outcomes.push(outcome)
        Object.assign(figures, describeRounds(name, scene, outcomes))
        const { findings } = outcome
        if (findings.length > 0)
          throw new BrokenPromise(findings.slice(0, shownFindings).join('\n  '), figures)
      }
    } finally {
      for (const watcher of scene.watchers) watcher.close()
    }
  } finally {
    await cluster.close()
  }
}

async function measure({ stage, quick, name, figures }: Setting, cluster: Cluster): Promise<void> {
  const delivery = await measureDelivery(stage, cluster, sizes[quick ? 'quick' : 'long'].measured)
  Object.assign(figures, describeDelivery(name, delivery))
  if (!quick && delivery.elsewhereMs - delivery.aloneMs > maxLaterMs)
    throw new BrokenPromise('messages come late at another process', figures)
}

/** A house, its traffic, and clients that are logged in. */
async function populate({ stage, random, redis, quick }: Setting, cluster: Cluster) {
  const { people, socketsEach } = sizes[quick ? 'quick' : 'long']
  const { balancer } = cluster
  const house = await makeHouse(stage, balancer.origin, people, wanderers)
  const watchers = [
    ...house.residents.flatMap((person) => Array.from({ length: socketsEach }, () => person)),
    ...house.wanderers,
  ].map((person) => new Watcher(balancer.origin, person, balancer))
  await need('every client is ready', () => watchers.every(({ isReady }) => isReady))
  return {
    stage,
    cluster,
    redis,
    quick,
    house,
    watchers,
    traffic: openTraffic(balancer.origin, house, random),
  }
}
