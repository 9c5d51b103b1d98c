// Measures what the steps of docs/scaling.md cost, in turns, on one machine.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '../../percentile.ts'
import { countRepeated } from '../attempts.ts'
import { chooseLoad, type LoadRequest } from '../load.ts'
import { reads, sends } from '../measures.ts'
import { readProcessorTime } from '../processes.ts'
import { type Arrangement, type Group, openCitus, openSteps, type Stops } from './arrangements.ts'
import { type MeasuredGroup, type MeasuredRequest, writeStepsReport } from './report.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 2 : 15
const seconds = 1
const warmUpSeconds = quick ? 1 : 4
const connections = [1, 32]

const requestsOf = (key: string) => [...reads, ...sends].find((measure) => measure.key === key)!.requests
const requests = [
  { title: '`GET /users/@me`', requests: requestsOf('own-user') },
  { title: 'page of 50 messages', requests: requestsOf('history') },
  { title: 'send', requests: requestsOf('send-100-rooms') },
]

const folder = await mkdtemp(join(tmpdir(), 'hearth-steps-'))
let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (isStopping = true))
const startedAt = new Date().toISOString()
const timeBefore = await readProcessorTime()
await mkdir(join(folder, 'data'))
const load = chooseLoad(folder)
const groups: MeasuredGroup[] = []
try {
  for (const open of [openSteps, openCitus]) {
    const stops: Stops = []
    try {
      const group = await open(folder, stops)
      if (group) groups.push(await measureGroup(group))
    } finally {
      const ends = []
      for (const stop of stops.reverse()) ends.push(...(await Promise.allSettled([stop()])))
      for (const end of ends) if (end.status === 'rejected') console.error(end.reason)
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
const timeAfter = await readProcessorTime()
const stolen = (timeAfter.stolen - timeBefore.stolen) / (timeAfter.all - timeBefore.all)
await writeStepsReport({
  startedAt,
  quick,
  stolen,
  rounds,
  seconds,
  load: load.name,
  repeated: countRepeated(),
  groups,
})

async function measureGroup({ title, arrangements }: Group): Promise<MeasuredGroup> {
  for (const arrangement of arrangements) {
    for (const request of requests) {
      await load.run(arrangement.origin, request.requests, 32, warmUpSeconds)
    }
  }
  const measured: MeasuredRequest[] = []
  for (const request of requests) {
    for (const count of connections) {
      const figures = await measureInTurns(arrangements, request.requests, count)
      measured.push({ title: request.title, connections: count, figures })
      console.log(title, request.title, count, JSON.stringify(figures))
    }
  }
  return { title, names: arrangements.map(({ name }) => name), measured }
}

/** The median of each figure of each arrangement over the rounds. */
async function measureInTurns(arrangements: Arrangement[], asked: LoadRequest[], count: number) {
  const all = arrangements.map(() => [] as Awaited<ReturnType<typeof measure>>[])
  for (let round = 0; round < rounds; round += 1) {
    for (const [n, arrangement] of arrangements.entries()) {
      all[n]!.push(await measure(arrangement, asked, count))
    }
  }
  return all.map((results) => {
    const of = (name: keyof (typeof results)[number]) => median(results.map((result) => result[name]))
    return {
      p50: of('p50'),
      p99: of('p99'),
      perSecond: of('perSecond'),
      answeringUs: of('answeringUs'),
      behindUs: of('behindUs'),
    }
  })
}

/** Throws after a signal to stop, so that all that was started is stopped. */
async function measure({ origin, answeringMs, behindMs }: Arrangement, asked: LoadRequest[], count: number) {
  if (isStopping) throw new Error('Stopped')
  const before = [await answeringMs(), await behindMs()] as const
  const { p50, p99, requestsPerSecond, requests: done } = await load.run(origin, asked, count, seconds)
  const after = [await answeringMs(), await behindMs()] as const
  return {
    p50,
    p99,
    perSecond: requestsPerSecond,
    answeringUs: ((after[0] - before[0]) * 1_000) / done,
    behindUs: ((after[1] - before[1]) * 1_000) / done,
  }
}
