import { setTimeout as pause } from 'node:timers/promises'
import { compareIds } from '../../src/ids.ts'
import { type Random, randomFrom } from '../../test/support/random.ts'
import type { Server } from '../../test/support/server.ts'
import { median } from '../percentile.ts'
import { BrokenPromise, type Figures, type Part } from './part.ts'
import { type Load, populate } from './soak/load.ts'
import { type Sample, takeSample } from './soak/samples.ts'
import { Listener } from './support/listener.ts'
import { grown } from './support/own-delay.ts'
import { addPerson } from './support/people.ts'
import { openStage, type Stage } from './support/stage.ts'

const defaultMinutes = { quick: 0.1, long: 60 }
const people = { quick: 8, long: 40 }
const socketsEach = 2
const heartbeatMs = 30_000
/** After each round, when all requests are answered, every client must have received every event. */
const roundMs = { quick: 3_000, long: 20_000 }
const hearWithinMs = 5_000
/** A twentieth of the lines is cut in each round. */
const cutShare = 20
const backWithinMs = 45_000
/**
 * What memory may grow by from the first third of a run to its last, where the first is long enough for all to be warm:
 * sessions keep 1,000 events.
 */
const maxGrownMb = 30
const warmAfterMinutes = 10
/** What the server may hold more than before, once it has given back what it took for the load. */
const maxLeftMb = 60
/** Sockets of the probe itself, and of what is about to close. */
const spareHandles = 4

export const soak: Part = {
  name: 'soak',
  promise:
    'under a mixed load for hours memory stays flat, no event is lost, and nothing stays open after it',
  mostlyWaits: true,
  async run({ quick, minutes, seed }) {
    const size = quick ? 'quick' : 'long'
    const stage = await openStage()
    try {
      const server = await stage.startServer()
      const before = await takeSample(stage, server)
      const crowd = await Promise.all(Array.from({ length: people[size] }, () => addPerson(stage.db)))
      const load = await populate(stage, server.origin, crowd, seed)
      const listeners = crowd.flatMap((person) => {
        return Array.from({ length: socketsEach }, () => new Listener(server.origin, person, heartbeatMs))
      })
      await Promise.all(listeners.map((listener) => listener.logIn()))
      const samples: Sample[] = []
      const deadline = performance.now() + (minutes ?? defaultMinutes[size]) * 60_000
      const findings: string[] = []
      const random = randomFrom(seed)
      do {
        findings.push(...(await playRound(load, listeners, roundMs[size], random)))
        samples.push(await takeSample(stage, server))
      } while (performance.now() < deadline && findings.length === 0)
      for (const listener of listeners) listener.close()
      const whatIsLeft = (sample: Sample) => judge(before, sample, quick)
      const after = await settle(stage, server, whatIsLeft)
      const { figures, grownMb } = count(load, listeners, samples, before, after)
      findings.push(...whatIsLeft(after))
      const isLong = (minutes ?? defaultMinutes[size]) >= warmAfterMinutes
      if (isLong && grownMb > maxGrownMb)
        findings.push(`resident memory grew by ${grownMb} MB under a steady load`)
      if (findings.length > 0)
        throw new BrokenPromise([...new Set(findings)].slice(0, 5).join('\n  '), figures)
      return figures
    } finally {
      await stage.close()
    }
  },
}

/** Load and cut lines for a while; says what was not heard once everything is still. */
async function playRound(load: Load, listeners: Listener[], ms: number, random: Random): Promise<string[]> {
  const loading = load.goOn(ms)
  const cuts = Math.ceil(listeners.length / cutShare)
  for (let cut = 0; cut < cuts; cut += 1) {
    await pause((ms / (cuts + 1)) * 0.9)
    const listener = random.pick(listeners)!
    listener.cut()
    await listener.resume()
  }
  await loading
  const hasAll = ({ heard }: Listener) => {
    return [...load.sent].every(([room, ids]) => (heard.get(room)?.length ?? 0) >= ids.length)
  }
  const deadline = performance.now() + grown(hearWithinMs)
  while (!listeners.every(hasAll) && performance.now() < deadline) await pause(20)
  const findings = [...load.findings, ...listeners.flatMap((listener) => compare(load, listener))]
  if ([...load.sent.values()].every((ids) => ids.length === 0))
    findings.push('no message was sent in a round')
  load.forget()
  for (const listener of listeners) listener.forget()
  return findings
}

function compare(load: Load, listener: Listener): string[] {
  const missed = [...load.sent].flatMap(([room, ids]) => {
    const heard = listener.heard.get(room) ?? []
    const wanted = ids.toSorted(compareIds)
    return heard.join() === wanted.join() ? [] : [`a socket heard ${heard.length} of ${ids.length} messages`]
  })
  return [...listener.findings, ...missed]
}

/**
 * What the server holds when nobody wants anything any more: as soon as it is back at what it was, or after a while.
 */
async function settle(
  stage: Stage,
  server: Server,
  whatIsLeft: (sample: Sample) => string[],
): Promise<Sample> {
  const deadline = performance.now() + backWithinMs
  for (;;) {
    const sample = await takeSample(stage, server)
    if (whatIsLeft(sample).length === 0 || performance.now() > deadline) return sample
    await pause(500)
  }
}

function judge(before: Sample, after: Sample, quick: boolean): string[] {
  const findings: string[] = []
  if (after.sockets > 0) findings.push(`${after.sockets} sockets stayed open`)
  if (after.sessions > 0) findings.push(`${after.sessions} sessions stayed`)
  if (after.handles > before.handles + spareHandles)
    findings.push(`${after.handles} handles are open, ${before.handles} were`)
  if (after.databaseConnections > before.databaseConnections)
    findings.push(
      `${after.databaseConnections} connections to the database are open, ${before.databaseConnections} were`,
    )
  // Half a minute passes before the server gives memory back: too long for a quick run.
  const leftMb = Math.round(after.residentMb - before.residentMb)
  if (!quick && leftMb > maxLeftMb) findings.push(`${leftMb} MB more are resident than before`)
  return findings
}

function count(load: Load, listeners: Listener[], samples: Sample[], before: Sample, after: Sample) {
  const third = Math.max(1, Math.floor(samples.length / 3))
  const middleOf = (part: Sample[], name: 'residentMb' | 'heapMb') =>
    Math.round(median(part.map((sample) => sample[name])))
  const early = middleOf(samples.slice(0, third), 'residentMb')
  const late = middleOf(samples.slice(-third), 'residentMb')
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)
  const figures: Figures = {
    requests: sum(Object.values(load.counts)),
    'of them messages': load.counts.send ?? 0,
    sockets: listeners.length,
    'events delivered': sum(listeners.map((listener) => listener.events)),
    'connections cut and resumed': sum(listeners.map((listener) => listener.resumes)),
    'resident memory before, in the first third, in the last, after': `${Math.round(before.residentMb)}, ${early}, ${late}, ${Math.round(after.residentMb)} MB`,
    'heap in use, first third and last': `${middleOf(samples.slice(0, third), 'heapMb')}, ${middleOf(samples.slice(-third), 'heapMb')} MB`,
    'handles before and after': `${before.handles}, ${after.handles}`,
    'database connections before and after': `${before.databaseConnections}, ${after.databaseConnections}`,
  }
  return { figures, grownMb: late - early }
}
