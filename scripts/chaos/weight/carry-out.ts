import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Server } from '../../../test/support/server.ts'
import { residentMb } from '../../bench/processes.ts'
import { startForked } from '../../forked.ts'
import type { Row } from '../part.ts'
import { addPerson, ask } from '../support/people.ts'
import { postgresMb } from '../support/postgres-processes.ts'
import { openStage, type Stage } from '../support/stage.ts'
import { Arrivals } from './arrivals.ts'
import { allowedDelayIn, type Course, type Plan, type WeightAttack } from './attack.ts'
import type { Order, Toll } from './attacker.ts'
import { beginCalm, type Probe } from './calm.ts'
import { addPeople } from './scenes.ts'

const attackerFile = join(import.meta.dirname, 'attacker.ts')

const attackers = 10
const limits = { RATE_LIMIT: 'on', NODE_OPTIONS: '--max-old-space-size=1024' }
const maxResidentMb = 700
/** On a quiet machine. */
const maxP99Ms = 250
/** What is read and compiled with the first requests of a process is not counted. */
const warmUpMs = 1_500
const lookEveryMs = 100

/** What came of an attack: its row in the report, and what is wrong. */
export type WeightOutcome = { row: Row; findings: string[] }

/** Attacks a server of its own, after others were watched on it for a while. */
export async function carryOut(
  attack: WeightAttack,
  beforeMs: number,
  attackMs: number,
): Promise<WeightOutcome> {
  const stage = await openStage()
  let plan: Plan | undefined
  try {
    // The first start makes the tables that the attack fills.
    await (await stage.startServer()).end()
    plan = await attack.prepare({ db: stage.db, people: await addPeople(stage.db, attackers) })
    // As the server of the database does within a minute.
    await sql`analyze`.execute(stage.db)
    const server = await stage.startServer({ ...limits, ...plan.environment })
    const usual = await usualProbes(stage, server)
    const probes = [...usual.probes, ...(plan.probes ?? [])]
    const calm = beginCalm(server.port, probes, usual.arrivals)
    const { course, maxMb, hasEnded } = await watch(stage, server, plan.orders, calm, beforeMs, attackMs)
    const findings = [
      ...(hasEnded ? [`the server has ended: ${lastLine(server)}`] : judge(course, maxMb)),
      ...((await plan.judge?.(course)) ?? []),
    ]
    return { row: describe(course, maxMb, findings), findings }
  } finally {
    await stage.close()
    await plan?.close?.()
  }
}

/** What others do during every attack. */
async function usualProbes(stage: Stage, server: Server): Promise<{ probes: Probe[]; arrivals: Arrivals }> {
  const [reader, writer] = [await addPerson(stage.db), await addPerson(stage.db)]
  const house = await ask(server.origin, writer.token, 'POST', '/houses', { name: 'Den' })
  const path = `/rooms/${house.rooms[0].id}/messages`
  const arrivals = await Arrivals.listen(server.port, writer.token)
  const body = () => arrivals.nextBody()
  const probes = [
    { name: 'me', method: 'GET', path: '/users/@me', token: reader.token, restMs: 30 },
    { name: 'health', method: 'GET', path: '/health', restMs: 100 },
    { name: 'send', method: 'POST', path, token: writer.token, body, restMs: 150 },
  ]
  return { probes, arrivals }
}

async function watch(
  stage: Stage,
  server: Server,
  orders: Order[],
  calm: ReturnType<typeof beginCalm>,
  beforeMs: number,
  attackMs: number,
) {
  const attacker = startForked(attackerFile)
  let maxMb = 0
  const hasEnded = () => server.child.exitCode !== null || server.child.signalCode !== null
  try {
    await pause(warmUpMs)
    calm.look()
    await pause(beforeMs)
    const [before, postgresBeforeMb] = [calm.look(), await postgresMb(stage)]
    const began = performance.now()
    await attacker.ask<Toll>({ port: server.port, orders })
    while (performance.now() < began + attackMs && !hasEnded()) {
      await pause(lookEveryMs)
      // One that has just ended has no memory.
      maxMb = Math.max(maxMb, await residentMb(server.child, 'VmHWM').catch(() => 0)) || maxMb
    }
    const toll = await attacker.ask<Toll>('count')
    const postgresGrownMb = (await postgresMb(stage)) - postgresBeforeMb
    const seconds = (performance.now() - began) / 1_000
    const course: Course = { before, during: calm.look(), toll, seconds, postgresGrownMb }
    return { course, maxMb, hasEnded: hasEnded() }
  } finally {
    await attacker.leave()
    await calm.stop()
  }
}

/** What is wrong with what others saw. The bound grows with the time that this process itself was late. */
function judge(course: Course, maxMb: number): string[] {
  const { during, toll } = course
  const findings: string[] = []
  const mostMs = maxP99Ms + allowedDelayIn(course)
  for (const name of ['me', 'health']) {
    const { p99, refused, statuses } = during.seen.get(name)!
    if (p99 > mostMs)
      findings.push(`p99 of ${name} was ${Math.round(p99)} ms, of at most ${Math.round(mostMs)}`)
    if (refused > 0) findings.push(`${name} was refused: ${statuses}`)
  }
  if (maxMb > maxResidentMb) findings.push(`the server has grown to ${Math.round(maxMb)} MB`)
  if (toll.open === 0 && Object.keys(toll.answers).length === 0 && toll.largestFrameBytes === 0)
    findings.push('the attack did not come')
  return findings
}

function describe({ before, during, toll, postgresGrownMb }: Course, maxMb: number, findings: string[]): Row {
  const [usual, now] = [before.seen.get('me')!, during.seen.get('me')!]
  const sends = [before, during].map(({ seen }) => seen.get('send')!.p50.toFixed(0))
  const others = [...during.seen].filter(([name]) => name !== 'me' && name !== 'send')
  return {
    'p99 before, ms': now.count === 0 ? 'none' : usual.p99.toFixed(0),
    'p99 during, ms': now.p99.toFixed(0),
    'p50 before and during, ms': `${usual.p50.toFixed(1)}, ${now.p50.toFixed(1)}`,
    ratio: (now.p99 / usual.p99).toFixed(1),
    'RSS max, MB': Math.round(maxMb),
    verdict: findings.length === 0 ? 'held' : `**broken**: ${findings.join('; ')}`,
    'half of the sends, before and during, ms': sends.join(', '),
    'others, p50 and p99 in ms': others
      .map(([name, { p50, p99 }]) => `${name} ${p50.toFixed(0)}, ${p99.toFixed(0)}`)
      .join('; '),
    'own delay, ms': during.ownDelayMs.toFixed(0),
    'PostgreSQL grew by, MB': Math.round(postgresGrownMb),
    'what the attackers got': Object.entries(toll.answers)
      .map((each) => each.reverse().join(' × '))
      .join(', '),
  }
}

function lastLine({ child, output }: Server): string {
  const line =
    output()
      .split('\n')
      .findLast((each) => /FATAL|Error/.test(each)) ?? ''
  return `${child.signalCode ?? child.exitCode}, ${line.slice(0, 200)}`
}
