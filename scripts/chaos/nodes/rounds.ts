import { compareMessages, compareStates } from './compare.ts'
import type { Disturbance } from './disturbances.ts'
import type { House } from './house.ts'
import { Late, need } from './insist.ts'
import type { Traffic } from './traffic.ts'
import type { Ending, Watcher } from './watcher.ts'

/** Messages that are sent before something is done, and after it. */
const sentBefore = 10
const sentAfter = 20
/** Of the clients, one in so many loses its line as well. */
const cutEvery = 5
const shownLines = 5

/** What came of a round. */
export type Outcome = {
  name: string
  /** What is wrong, in sentences. */
  findings: string[]
  /** Until every client was ready again. */
  readyMs: number
  resumed: number
  refused: number
  logins: number
  /** Sessions that ended at processes that kept running. */
  ended: number
  /** Messages that came as events again, after a login anew. */
  repeated: number
}

/** What a round needs of the processes behind one address. */
export type Processes = {
  origin: string
  /** Whether the process at this port was stopped or stalled at this moment of the round. */
  wasAway(port: number | undefined, atMs: number): boolean
  beginRound(): void
  /** What the processes have logged since the round began. */
  log(): string[]
}

export type Watched = { cluster: Processes; traffic: Traffic; house: House; watchers: readonly Watcher[] }

/** Does something while messages are sent, and looks at everything when all is quiet again. */
export async function playRound<Scene extends Watched>(
  scene: Scene,
  disturbance: Disturbance<Scene>,
  round: number,
): Promise<Outcome> {
  const { cluster, traffic, watchers } = scene
  const before = count(watchers)
  cluster.beginRound()
  const findings: string[] = []
  let readyMs = 0
  try {
    await traffic.beginRound()
    traffic.go()
    await traffic.goOn(sentBefore)
    const began = performance.now()
    await disturbance.act(scene, round)
    for (const watcher of watchers.filter((_watcher, index) => (index + round) % cutEvery === 0))
      watcher.cut()
    await traffic.goOn(sentAfter)
    await need('every client is ready again', () => watchers.every(({ isReady }) => isReady))
    readyMs = performance.now() - began
  } catch (error) {
    if (!(error instanceof Late)) throw error
    findings.push(error.message)
  } finally {
    await traffic.stop()
  }
  const endings = watchers.flatMap((watcher) => watcher.endings.filter((each) => isElsewhere(cluster, each)))
  findings.push(
    ...traffic.findings,
    ...(await compareMessages(watchers, traffic, scene.house)),
    ...(await compareStates(watchers, cluster.origin)),
    ...watchers.flatMap((watcher) => watcher.findings),
    ...endings.filter((each) => !disturbance.mayEnd?.(each)).map(describe),
  )
  const after = count(watchers)
  const refused = after.refused - before.refused
  if (disturbance.everybodyResumes && refused > 0)
    findings.push(`${refused} clients could not resume elsewhere`)
  if (findings.length > 0) findings.push(...cluster.log().slice(0, shownLines))
  for (const watcher of watchers) watcher.forget()
  return {
    name: disturbance.name,
    findings: [...new Set(findings)].map((finding) => `${disturbance.name}, round ${round}: ${finding}`),
    readyMs,
    resumed: after.resumed - before.resumed,
    refused,
    logins: after.logins - before.logins,
    ended: endings.filter(({ stage }) => stage === 'ready').length,
    repeated: after.repeated - before.repeated,
  }
}

/** Whether it ended at a process that went on. A resume that is refused ends nothing there. */
function isElsewhere(cluster: Processes, { port, code, stage, atMs }: Ending): boolean {
  return !(stage === 'resume' && code === 4009) && !cluster.wasAway(port, atMs)
}

function describe({ code, stage }: Ending): string {
  return `a connection (${stage}) to a process that went on was closed with ${code}`
}

function count(watchers: readonly Watcher[]) {
  const total = { resumed: 0, refused: 0, logins: 0, repeated: 0 }
  for (const { counts, history } of watchers) {
    total.resumed += counts.resumed
    total.refused += counts.refused
    total.logins += counts.logins
    total.repeated += history.repeated
  }
  return total
}
