import { setTimeout as pause } from 'node:timers/promises'
import { randomFrom } from '../../test/support/random.ts'
import { type ClockedServer, startClocked } from './clock/clocked-server.ts'
import { watchExploding } from './clock/exploding.ts'
import { keepRecords } from './clock/records.ts'
import { knownSteps, randomSteps, type Step } from './clock/steps.ts'
import {
  codeTrial,
  guessingTrial,
  inviteTrial,
  nonceTrial,
  type Trial,
  tokenTrial,
  totpTrial,
} from './clock/trials.ts'
import { BrokenPromise, type Part } from './part.ts'
import { Listener } from './support/listener.ts'
import { addPerson, ask, type Person } from './support/people.ts'
import { openStage, type Stage } from './support/stage.ts'

const hourMs = 3_600_000
const before2019 = Date.UTC(2001, 0, 1)

const guesses = 12
/** Wide but for guessing, so that a bucket that waits for the clock shows, and being fast does not. */
const limits = {
  RATE_LIMIT: 'on',
  RATE_LIMIT_MESSAGES: '200/s burst 400',
  RATE_LIMIT_REQUESTS: '500/s burst 1000',
  RATE_LIMIT_ADDRESS: '500/s burst 1000',
  RATE_LIMIT_AUTH: `${guesses}/min burst ${guesses}`,
}

const rounds = { quick: 1, long: 20 }

export const clock: Part = {
  name: 'clock',
  promise:
    'ids rise, and messages, tokens and codes end when they should, while the clock steps back and forth',
  mostlyWaits: true,
  async run({ quick, minutes, seed }) {
    const random = randomFrom(seed).number
    const deadline = performance.now() + (minutes ?? 60) * 60_000
    const seen = { seed, steps: 0, 'furthest step, hours': 0, starts: 0, 'ids compared': 0 }
    const most = rounds[quick ? 'quick' : 'long']
    for (let round = 0; round === 0 || (round < most && performance.now() < deadline); round += 1) {
      const steps = round === 0 ? knownSteps : randomSteps(random)
      const { findings, ids, starts } = await runOnce(steps)
      seen.steps += steps.length
      const furthestMs = Math.max(...steps.map(({ shiftMs }) => Math.abs(shiftMs)))
      seen['furthest step, hours'] = Math.max(seen['furthest step, hours'], Math.round(furthestMs / hourMs))
      seen.starts += starts
      seen['ids compared'] += ids
      if (findings.length > 0) throw new BrokenPromise(findings.join('\n  '), seen)
    }
    return seen
  },
}

/** Steps the clock of a server, and starts it again with clocks that are off. */
async function runOnce(steps: readonly Step[]) {
  const stage = await openStage()
  try {
    const findings: string[] = []
    const records = keepRecords()
    const rooms: string[] = []
    const watch = () => ({ token: ann.token, roomId: rooms[0]! })
    const server = await startClocked(stage, 0, limits, watch)
    const ann = await addPerson(stage.db)
    const house = await ask(server.origin, ann.token, 'POST', '/houses', { name: 'Den' })
    rooms.push(
      house.rooms[0].id,
      (await ask(server.origin, ann.token, 'POST', `/houses/${house.id}/rooms`, { name: 'b' })).id,
    )

    findings.push(...(await stepThrough(stage, server, { ann, rooms, houseId: house.id, records }, steps)))
    const offStarts = [
      ['started an hour back', -hourMs],
      ['started in 2001', before2019 - Date.now()],
    ] as const
    for (const [what, shiftMs] of offStarts) {
      await stage.stopServers()
      const next = await startClocked(stage, shiftMs, limits, watch)
      records.note(`${what}, houses`, [
        (await ask(next.origin, ann.token, 'POST', '/houses', { name: what })).id,
      ])
      await records.sendMessages(next.origin, ann, rooms, what)
    }
    findings.push(...records.findings)
    return { findings, ids: records.count(), starts: 1 + offStarts.length }
  } finally {
    await stage.close()
  }
}

type Scene = { ann: Person; rooms: string[]; houseId: string; records: ReturnType<typeof keepRecords> }

async function stepThrough(
  stage: Stage,
  server: ClockedServer,
  scene: Scene,
  steps: readonly Step[],
): Promise<string[]> {
  const { ann, rooms, houseId, records } = scene
  // Entering a house would force a new login, so the session that is resumed belongs to an idle user.
  const [bob, gone, cleo, dan] = [
    await addPerson(stage.db),
    await addPerson(stage.db),
    await addPerson(stage.db),
    await addPerson(stage.db),
  ] as const
  await ask(server.origin, gone.token, 'POST', '/auth/logout')
  const trials: Trial[] = [tokenTrial(ann, gone), nonceTrial(ann, rooms[1]!), guessingTrial(guesses)]
  const invites = inviteTrial(ann, houseId)
  const totp = await totpTrial(server, 'correct horse')
  const mailed = await codeTrial(stage, cleo)
  const [stays, drops] = [new Listener(server.origin, ann), new Listener(server.origin, dan)] as const
  await Promise.all([stays.logIn(), drops.logIn()])
  drops.cut()

  const findings: string[] = []
  const exploding: Promise<string[]>[] = []
  for (const { what, shiftMs, totp: withTotp, lastsMs = 0 } of steps) {
    await server.step(shiftMs)
    const until = performance.now() + lastsMs
    const made = await ask(server.origin, bob.token, 'POST', '/houses', { name: what })
    records.note(`${what}, houses`, [made.id])
    await records.sendMessages(server.origin, ann, rooms, what)
    exploding.push(watchExploding(stage.db, server.origin, ann, rooms[0]!, what))
    const more = [...(withTotp ? [totp] : []), ...(lastsMs > 0 ? [invites] : [])]
    const looks = [...trials, ...more].map((trial) => trial.look(server, what))
    findings.push(...(await Promise.all(looks)).flat())
    await pause(Math.max(0, until - performance.now()))
  }
  findings.push(...(await mailed.look(server, steps.at(-1)!.what)))
  await drops.resume().catch((error: Error) => findings.push(`a session cannot be resumed: ${error.message}`))
  findings.push(...stays.findings, ...drops.findings)
  if (rooms.some((room) => !stays.heard.has(room))) findings.push('a socket heard no message of a room')
  drops.close()
  stays.cut()
  return [...findings, ...(await Promise.all(exploding)).flat()]
}
