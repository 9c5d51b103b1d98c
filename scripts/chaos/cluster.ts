import { type Random, randomFrom } from '../../test/support/random.ts'
import { type Arrangement, findPrograms, startArrangement } from '../cluster/arrangement.ts'
import { median } from '../percentile.ts'
import { comparePresences, compareRows } from './cluster/checks.ts'
import { openFiles } from './cluster/files.ts'
import { type Loss, losses, type Scene } from './cluster/losses.ts'
import { linesOf } from './nodes/cluster.ts'
import { describeRounds } from './nodes/figures.ts'
import { makeHouse } from './nodes/house.ts'
import { need } from './nodes/insist.ts'
import { type Outcome, type Processes, playRound, type Watched } from './nodes/rounds.ts'
import { openTraffic } from './nodes/traffic.ts'
import { Watcher } from './nodes/watcher.ts'
import { BrokenPromise, type Figures, type Part } from './part.ts'
import { makeFolder } from './support/run-folder.ts'

const sizes = { quick: { people: 4, socketsEach: 1 }, long: { people: 15, socketsEach: 4 } }
const wanderers = 1
const longRounds = 50
const setting = 'cluster'
const shownFindings = 12

export const cluster: Part = {
  name: 'cluster',
  promise:
    'of a proxy, three Hearths, Valkey, a store and two PostgreSQL any may die: no acknowledged message is lost, every socket gets each once and in order, and sessions resume elsewhere',
  mostlyWaits: true,
  async run({ quick, minutes, seed }) {
    const programs = await findPrograms()
    if (typeof programs === 'string') return { 'left out': programs }
    const deadline = performance.now() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000
    const random = randomFrom(seed)
    const parts = await startArrangement(await makeFolder('cluster-'), programs)
    try {
      const scene = await populate(parts, random, quick)
      try {
        return await play(scene, deadline)
      } finally {
        for (const watcher of scene.watchers) watcher.close()
      }
    } finally {
      await parts.close()
    }
  },
}

/** A house, its traffic, and clients that are logged in. */
async function populate(parts: Arrangement, random: Random, quick: boolean): Promise<Scene & Watched> {
  const { people, socketsEach } = sizes[quick ? 'quick' : 'long']
  const { origin } = parts
  const house = await makeHouse(parts, origin, people, wanderers)
  const watchers = [
    ...house.residents.flatMap((person) => Array.from({ length: socketsEach }, () => person)),
    ...house.wanderers,
  ].map((person) => new Watcher(origin, person))
  await need('every client is ready', () => watchers.every(({ isReady }) => isReady))
  const traffic = openTraffic(origin, house, random)
  return {
    parts,
    random,
    quick,
    house,
    watchers,
    traffic,
    files: await openFiles(parts),
    backAfterMs: [],
    cluster: describeProcesses(parts),
  }
}

function describeProcesses({ origin, hearths }: Arrangement): Processes {
  let logged = new Map<unknown, number>()
  return {
    origin,
    wasAway: () => false,
    beginRound() {
      logged = new Map(hearths.map((hearth) => [hearth, hearth.output().length]))
    },
    log: () => hearths.flatMap((hearth) => linesOf(hearth.output().slice(logged.get(hearth) ?? 0))),
  }
}

/** Loses each part at least once. */
async function play(scene: Scene & Watched, deadline: number): Promise<Figures> {
  const { parts, house, traffic, files, watchers, random, quick } = scene
  const list = losses[quick ? 'quick' : 'long']
  const rounds = quick ? list.length : longRounds
  const outcomes: Outcome[] = []
  let acknowledged = 0
  let coming: Loss[] = []
  for (let round = 0; round < list.length || (round < rounds && performance.now() < deadline); round += 1) {
    if (coming.length === 0) coming = [...list]
    const loss = quick ? coming[0]! : random.pick(coming)!
    coming = coming.filter((each) => each !== loss)
    const outcome = await playRound<Scene & Watched>(scene, loss, round)
    outcomes.push(outcome)
    await files.insist()
    acknowledged += [...traffic.sent.values()].flat().length
    insistOn(
      [
        ...outcome.findings,
        ...(await compareRows(parts, traffic)),
        ...(await comparePresences(parts, house, house.residents)),
        ...(await files.compare()),
      ],
      describe(scene, outcomes),
    )
  }
  const [gone, ...others] = house.residents
  for (const watcher of watchers) if (watcher.person === gone) watcher.close()
  const figures = describe(scene, outcomes)
  insistOn(await comparePresences(parts, house, others), figures)
  if (!quick && outcomes.every(({ resumed }) => resumed === 0)) insistOn(['no session was resumed'], figures)
  return { ...figures, 'messages acknowledged, of them lost': `${acknowledged}, 0` }
}

function insistOn(findings: string[], figures: Figures): void {
  if (findings.length > 0) throw new BrokenPromise(findings.slice(0, shownFindings).join('\n  '), figures)
}

function describe(scene: Scene & Watched, outcomes: Outcome[]): Figures {
  const { parts, files, backAfterMs } = scene
  const figures = describeRounds(setting, scene, outcomes)
  // The proxy does not say where a session was.
  for (const row of Object.values(figures)) {
    if (typeof row === 'object') delete row['sessions ended at other processes']
  }
  const back = backAfterMs.map(Math.round)
  return {
    Hearths: parts.hearths.length,
    rounds: outcomes.length,
    'attachments that can be read': files.accepted.length,
    'ms from a promotion to the next message, p50 and most': `${median(back)}, ${Math.max(0, ...back)}`,
    ...figures,
  }
}
