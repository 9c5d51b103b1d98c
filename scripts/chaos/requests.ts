import { BrokenPromise, type Part } from './part.ts'
import { openAttack } from './requests/attack.ts'
import { openFraming } from './requests/framing.ts'
import { openStage } from './support/stage.ts'

const wanted = { quick: 100_000, long: 1_000_000 }
const longestMs = { quick: 45_000, long: 3_600_000 }

export const requests: Part = {
  name: 'requests',
  promise: 'no input ends in an unexpected 5xx, and nothing is changed by a request that is refused',
  async run({ quick, seed, minutes }) {
    const size = quick ? 'quick' : 'long'
    const deadline = performance.now() + (minutes === null ? longestMs[size] : minutes * 60_000)
    const stage = await openStage()
    try {
      const server = await stage.startServer()
      const attack = await openAttack(stage, server, seed)
      const isOver = () =>
        attack.sent() + framing.sent() >= wanted[size] ||
        performance.now() > deadline ||
        attack.findings.length > 0
      const framing = openFraming(server, seed, isOver)
      const misframing = framing.attack()
      do await attack.round()
      while (!isOver())
      const misframed = await misframing
      // What one request does to the server is no fault of those that are sent besides.
      const findings = attack.findings.length > 0 ? attack.findings : misframed
      const figures = { seed, ...attack.figures(), 'hardly HTTP, besides': framing.sent() }
      if (findings.length === 0) findings.push(...attack.judgeReach())
      if (framing.sent() === 0) findings.push('nothing that is hardly HTTP was sent')
      if (server.child.exitCode !== null)
        findings.push(`the server has ended: ${server.output().slice(-2_000)}`)
      if (findings.length > 0) throw new BrokenPromise(findings.join('\n  '), figures)
      return figures
    } finally {
      await stage.close()
    }
  },
}
