import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import type { Figures } from '../part.ts'
import { changedTables, digestTables } from '../support/digest.ts'
import type { Stage, StageServer } from '../support/stage.ts'
import { Wire, type WireAnswer } from '../support/wire.ts'
import { anyRequest, type Hostile, refusedRequest } from './hostile.ts'
import { findFault } from './judge.ts'
import { listOperations } from './operations.ts'
import { describe, render } from './render.ts'
import { makeScene, type Scene } from './scene.ts'

const connections = 24
const maxMs = 1_000
/** Of each round: requests that must be refused, and those that may succeed. */
const sizes = { refused: 4_800, any: 480 }
const anyBatches = 3

/** After one of these there is less left for the requests that follow. */
const endings = new Set([
  'POST /auth/logout',
  'DELETE /users/@me',
  'DELETE /users/@me/sessions/{id}',
  'DELETE /users/@me/houses/{id}',
  'DELETE /houses/{id}',
  'DELETE /houses/{id}/rooms/{room_id}',
])

type Sent = { hostile: Hostile; bytes: Buffer }

/** Says that it went well whatever it was sent; the addresses it is sent here are nobody's. */
const saysNothing = 'POST /auth/forgot-password'

/** Whether a request that succeeds may have changed something. */
function isWrite({ method, operation }: Hostile): boolean {
  return !['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method) && operation !== saysNothing
}

/** Hostile requests to every operation, in rounds; what was answered wrongly is in `findings`. */
export async function openAttack(stage: Stage, server: StageServer, seed: number) {
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
  const wires = Array.from({ length: connections }, () => new Wire(server.port))
  const findings: string[] = []
  const slow: Sent[] = []
  const statuses = new Map<number, number>()
  const counts = { sent: 0, changing: 0, compared: 0, unavailable: 0, slowest: 0, checks: 0 }
  let scene = await makeScene(stage, server.origin)

  /** Sends a request. Throws what is wrong with its answer; what took long is looked at again when it is quiet. */
  async function send(wire: Wire, sent: Sent): Promise<WireAnswer> {
    const { hostile, bytes } = sent
    let answer = await wire.exchange(bytes, hostile.method)
    for (let attempt = 0; attempt < 5 && answer.status === 503; attempt += 1) {
      counts.unavailable += 1
      await pause(500)
      answer = await wire.exchange(bytes, hostile.method)
    }
    counts.sent += 1
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    if (answer.ms > maxMs) slow.push(sent)
    else counts.slowest = Math.max(counts.slowest, answer.ms)
    const fault = findFault(hostile, answer)
    if (fault !== undefined) throw new Error(fault)
    return answer
  }

  /** Sends each of those that took long again, alone: a machine with other work makes anything slow now and then. */
  async function judgeSlow(): Promise<void> {
    for (const { hostile, bytes } of slow.splice(0)) {
      let best = Number.POSITIVE_INFINITY
      for (let attempt = 0; attempt < 4 && best > maxMs; attempt += 1) {
        best = Math.min(best, (await wires[0]!.exchange(bytes, hostile.method)).ms)
      }
      counts.slowest = Math.max(counts.slowest, best)
      if (best > maxMs) findings.push(`took ${Math.round(best)} ms\n    request: ${describe(hostile)}`)
    }
  }

  /** Sends so many requests of a kind; gives those that were refused, and how many may have changed something. */
  async function sendBatch(kind: 'refused' | 'any', target: Scene) {
    const refused: Sent[] = []
    let changing = 0
    const numRuns = Math.ceil(sizes[kind] / connections)
    const checks = await Promise.all(
      wires.map((wire) => {
        const property = fc.asyncProperty(arbitraries[kind], async (hostile) => {
          const sent = { hostile, bytes: render(hostile, target) }
          const answer = await send(wire, sent)
          if (answer.status >= 400) refused.push(sent)
          else if (isWrite(hostile)) changing += 1
        })
        counts.checks += 1
        return fc.check(property, { seed: seed + counts.checks * 104_729, numRuns })
      }),
    )
    for (const { failed, counterexample, errorInstance } of checks) {
      if (!failed) continue
      const [smallest] = counterexample!
      findings.push(`${(errorInstance as Error).message}\n    smallest request: ${describe(smallest)}`)
    }
    counts.changing += changing
    return { refused, changing }
  }

  /** Sends refused requests again, all at once. Gives those refused again, and how many were not. */
  async function repeat(refused: Sent[]) {
    const waiting = [...refused]
    const again: Sent[] = []
    let changing = 0
    const work = wires.map(async (wire) => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const answer = await wire.exchange(next.bytes, next.hostile.method)
        counts.sent += 1
        if (answer.status >= 400) again.push(next)
        else if (isWrite(next.hostile)) changing += 1
      }
    })
    await Promise.all(work)
    return { refused: again, changing }
  }

  /** Repeats refused requests until all of a round are refused again: then nothing may have changed in it. */
  async function compareRepeated(first: Sent[]): Promise<void> {
    let refused = first
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const before = await digestTables(stage.db)
      const again = await repeat(refused)
      if (again.changing === 0) return compare(before, refused)
      refused = again.refused
    }
  }

  /** Looks whether refused requests left the tables as they were; if not, finds the one that did not. */
  async function compare(before: Map<string, string>, refused: Sent[]): Promise<void> {
    counts.compared += 1
    let last = await digestTables(stage.db)
    const changed = changedTables(before, last)
    if (changed.length === 0) return
    for (const { hostile, bytes } of refused) {
      const { status } = await wires[0]!.exchange(bytes, hostile.method)
      const now = await digestTables(stage.db)
      const tables = changedTables(last, now)
      last = now
      if (status < 400 || tables.length === 0) continue
      findings.push(`refused with ${status}, yet ${tables} changed\n    request: ${describe(hostile)}`)
      return
    }
    findings.push(`a batch of refused requests changed ${changed}; none of them did when repeated alone`)
  }

  async function round(): Promise<void> {
    const before = await digestTables(stage.db)
    const { refused, changing } = await sendBatch('refused', scene)
    if (changing === 0) await compare(before, refused)
    else scene = await makeScene(stage, server.origin)

    for (let batch = 0; batch < anyBatches; batch += 1) {
      const any = await sendBatch('any', await makeScene(stage, server.origin))
      await compareRepeated(any.refused)
    }
    await judgeSlow()
    const alive = await fetch(`${server.origin}/ready`)
    if (alive.status !== 200) findings.push(`the server is not ready any more: ${alive.status}`)
  }

  function figures(): Figures {
    const answers = [...statuses].sort(([one], [other]) => one - other)
    return {
      operations: operations.length,
      requests: counts.sent,
      'of them successful writes': counts.changing,
      'batches of refused ones, tables compared': counts.compared,
      'answered 503 and tried again': counts.unavailable,
      'slowest, ms': Math.round(counts.slowest),
      answers: answers.map(([status, count]) => `${status} × ${count}`).join(', '),
    }
  }

  return { findings, round, figures, sent: () => counts.sent }
}
