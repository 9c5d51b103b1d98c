import fc from 'fast-check'
import type { Server } from '../../../test/support/server.ts'
import type { Figures } from '../part.ts'
import { digestTables } from '../support/digest.ts'
import type { Stage } from '../support/stage.ts'
import { anyRequest, type Hostile, refusedRequest } from './hostile.ts'
import { listOperations } from './operations.ts'
import { describe, render } from './render.ts'
import { makeScene, type Scene } from './scene.ts'
import { isWrite, openSender } from './sender.ts'
import { watchTables } from './unchanged.ts'

/** Of each round: requests that must be refused, and batches of those that may succeed. */
const sizes = { refused: 3_600, any: 360 }
const anyBatches = 2

/** After one of these there is less left for the requests that follow. */
const endings = new Set([
  'POST /auth/logout',
  'DELETE /users/@me',
  'DELETE /users/@me/sessions/{id}',
  'DELETE /users/@me/houses/{id}',
  'DELETE /houses/{id}',
  'DELETE /houses/{id}/rooms/{room_id}',
])

/** Hostile requests to every operation, in rounds; what was answered wrongly is in `findings`. */
export async function openAttack(stage: Stage, server: Server, seed: number) {
  const operations = await listOperations()
  const arbitraries = {
    refused: fc.oneof(...operations.map(refusedRequest)),
    any: fc.oneof(
      ...operations.map((operation) => {
        const isEnd = endings.has(`${operation.method} ${operation.path}`)
        return { weight: isEnd ? 1 : 20, arbitrary: anyRequest(operation) }
      }),
    ),
  }
  const sender = openSender(server)
  const newScene = () => makeScene(stage, server.origin)
  const tables = watchTables(stage, sender, newScene)
  const { findings, counts, statuses } = sender
  const scene = await newScene()
  let [checks, changes] = [0, 0]

  /** Sends so many requests of a kind, and gives those that were refused. */
  async function sendBatch(kind: 'refused' | 'any', target: Scene): Promise<Hostile[]> {
    const refused: Hostile[] = []
    const numRuns = Math.ceil(sizes[kind] / sender.wires.length)
    const done = await Promise.all(
      sender.wires.map((wire) => {
        const property = fc.asyncProperty(arbitraries[kind], async (hostile) => {
          // Nothing smaller can be found with a server that does not answer.
          if (sender.isStuck()) return
          const answer = await sender.send(wire, { hostile, bytes: render(hostile, target) })
          if (answer.status >= 400) refused.push(hostile)
          else if (isWrite(hostile)) {
            if (kind === 'refused') throw new Error(`had to be refused, and was answered ${answer.status}`)
            changes += 1
          }
        })
        checks += 1
        return fc.check(property, { seed: seed + checks * 104_729, numRuns })
      }),
    )
    for (const { failed, counterexample, errorInstance } of done) {
      if (!failed || sender.isStuck()) continue
      const [smallest] = counterexample!
      findings.push(`${(errorInstance as Error).message}\n    smallest request: ${describe(smallest)}`)
    }
    return refused
  }

  async function attackOnce(): Promise<void> {
    const before = await digestTables(stage.db)
    const refused = await sendBatch('refused', scene)
    if (sender.isStuck() || findings.length > 0) return
    await tables.compare(before, refused)
    for (let batch = 0; batch < anyBatches && findings.length === 0; batch += 1) {
      const any = await sendBatch('any', await newScene())
      if (sender.isStuck()) return
      await tables.compareRepeated(any)
    }
    await sender.judgeSlow()
    const alive = await fetch(`${server.origin}/ready`)
    if (alive.status !== 200) findings.push(`the server is not ready any more: ${alive.status}`)
  }

  return {
    findings,
    sent: () => counts.sent,
    async round(): Promise<void> {
      await attackOnce().catch((error: Error) => {
        if (!sender.isStuck()) throw error
      })
      await sender.reportUnanswered(async () => {
        await server.end('SIGKILL')
        return stage.startServer()
      })
    },
    /** What of the attack did not come, without which it shows nothing. */
    judgeReach: () => [
      ...(changes === 0 ? ['no request succeeded'] : []),
      ...(tables.compared() === 0 ? ['no tables were compared'] : []),
    ],
    figures: (): Figures => ({
      operations: operations.length,
      requests: counts.sent,
      'of them successful writes': changes,
      'batches of refused ones, tables compared': tables.compared(),
      'answered 503 and tried again': counts.unavailable,
      'slowest, ms': Math.round(counts.slowest),
      answers: [...statuses]
        .sort(([one], [other]) => one - other)
        .map(([status, count]) => `${status} × ${count}`)
        .join(', '),
    }),
  }
}
