import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '../../../test/support/server.ts'
import { grown } from '../support/own-delay.ts'
import { NoAnswer, Wire, type WireAnswer } from '../support/wire.ts'
import type { Hostile } from './hostile.ts'
import { findFault } from './judge.ts'
import { describe } from './render.ts'

const connections = 24
const maxMs = 1_000
/** So long a request may take on a server that does nothing else. */
const aloneMs = 4_000

type Sent = { hostile: Hostile; bytes: Buffer }

/** Says that it went well whatever it was sent; the addresses it is sent here are nobody's. */
const saysNothing = 'POST /auth/forgot-password'

/** Whether a request that succeeds may have changed something. */
export function isWrite({ method, operation }: Hostile): boolean {
  return !['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method) && operation !== saysNothing
}

export type Sender = ReturnType<typeof openSender>

/** Many connections to a server, what was answered over them, and what was wrong with it. */
export function openSender(server: Server) {
  const wires = Array.from({ length: connections }, () => new Wire(server.port))
  const findings: string[] = []
  const slow: Sent[] = []
  const unanswered: { sent: Sent; before: Sent | undefined; reason: string }[] = []
  const lastOver = new Map<Wire, Sent>()
  const statuses = new Map<number, number>()
  const counts = { sent: 0, unavailable: 0, slowest: 0 }

  /** Sends a request and gives its answer, which may be a defect. Throws when there is none. */
  async function exchange(wire: Wire, sent: Sent): Promise<WireAnswer> {
    const { hostile, bytes } = sent
    let answer = await wire.exchange(bytes, hostile.method).catch((error: Error) => {
      if (error instanceof NoAnswer)
        unanswered.push({ sent, before: lastOver.get(wire), reason: error.message })
      throw error
    })
    for (let attempt = 0; attempt < 5 && answer.status === 503; attempt += 1) {
      counts.unavailable += 1
      await pause(500)
      answer = await wire.exchange(bytes, hostile.method)
    }
    lastOver.set(wire, sent)
    counts.sent += 1
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    return answer
  }

  /** Sends a request. Throws what is wrong with its answer; what took long is looked at again when it is quiet. */
  async function send(wire: Wire, sent: Sent): Promise<WireAnswer> {
    const answer = await exchange(wire, sent)
    if (answer.ms > maxMs) slow.push(sent)
    else counts.slowest = Math.max(counts.slowest, answer.ms)
    if (answer.status === 503) throw new Error('answered 503 again and again')
    const fault = findFault(sent.hostile, answer)
    if (fault !== undefined) throw new Error(fault)
    return answer
  }

  /** Sends all over all connections. Gives those that were refused, and how many may have changed something. */
  async function sendAll(all: readonly Sent[]) {
    const waiting = [...all]
    const refused: Sent[] = []
    let changing = 0
    const work = wires.map(async (wire) => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const answer = await exchange(wire, next)
        if (answer.status >= 400) refused.push(next)
        else if (isWrite(next.hostile)) changing += 1
      }
    })
    await Promise.all(work)
    return { refused, changing }
  }

  /** Sends each of those that took long again, alone: a machine with other work makes anything slow now and then. */
  async function judgeSlow(): Promise<void> {
    for (const sent of slow.splice(0)) {
      let best = Number.POSITIVE_INFINITY
      for (let attempt = 0; attempt < 4 && best > grown(maxMs); attempt += 1) {
        best = Math.min(best, (await exchange(wires[0]!, sent)).ms)
      }
      counts.slowest = Math.max(counts.slowest, best)
      if (best > grown(maxMs))
        findings.push(`took ${Math.round(best)} ms\n    request: ${describe(sent.hostile)}`)
    }
  }

  /** Reports what got no answer: that which gets none alone either, from a server started anew. */
  async function reportUnanswered(startAnew: () => Promise<Server>): Promise<void> {
    if (unanswered.length === 0) return
    const { port } = await startAnew()
    for (const {
      sent: { hostile, bytes },
    } of unanswered) {
      const wire = new Wire(port, grown(aloneMs))
      const error = await wire.exchange(bytes, hostile.method).catch((reason: Error) => reason)
      wire.close()
      if (!(error instanceof NoAnswer)) continue
      findings.push(`${error.message}\n    request: ${describe(hostile)}`)
      return
    }
    for (const { sent, before, reason } of unanswered) {
      const previous = before ? `\n    after: ${describe(before.hostile)}` : ''
      findings.push(
        `${reason}, though one came when it was sent alone\n    request: ${describe(sent.hostile)}${previous}`,
      )
    }
  }

  return {
    wires,
    findings,
    statuses,
    counts,
    send,
    sendAll,
    judgeSlow,
    reportUnanswered,
    /** Whether the server does not answer any more: nothing else is to be found out about it. */
    isStuck: () => unanswered.length > 0,
  }
}
