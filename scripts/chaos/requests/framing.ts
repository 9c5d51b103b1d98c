import fc from 'fast-check'
import type { Server } from '../../../test/support/server.ts'
import { exchangeAlone } from '../support/wire.ts'
import { findFault } from './judge.ts'
import { oddRequest, renderOdd } from './odd.ts'

const lanes = 3
const perRound = 20

/** Requests that are hardly HTTP, each on a connection of its own, until it is over or one was answered wrongly. */
export function openFraming(server: Server, seed: number, isOver: () => boolean) {
  const findings: string[] = []
  let sent = 0

  const property = fc.asyncProperty(oddRequest, async (odd) => {
    if (isOver()) return
    sent += 1
    const { answers, receivedBytes, endedByServer } = await exchangeAlone(
      server.port,
      renderOdd(odd),
      odd.method !== 'HEAD',
    )
    // What follows a whole request and is none may end the connection in the middle of an answer; a client that ends it
    // in the middle of a request needs none.
    if (receivedBytes === 0 && endedByServer) throw new Error('no answer')
    for (const answer of answers) {
      const fault = findFault({ method: odd.method, path: odd.target }, answer)
      if (fault !== undefined) throw new Error(fault)
    }
  })

  async function keepSending(lane: number): Promise<void> {
    for (let round = 0; !isOver() && findings.length === 0; round += 1) {
      const check = await fc.check(property, {
        seed: seed + (round * lanes + lane) * 7_919,
        numRuns: perRound,
      })
      if (!check.failed) continue
      const [smallest] = check.counterexample!
      findings.push(
        `${(check.errorInstance as Error).message}\n    smallest request: ${JSON.stringify(smallest)}`,
      )
    }
  }

  return {
    sent: () => sent,
    /** Sends them; gives what was answered wrongly. */
    async attack(): Promise<string[]> {
      await Promise.all(Array.from({ length: lanes }, (_, lane) => keepSending(lane)))
      return findings
    },
  }
}
