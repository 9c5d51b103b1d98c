import { BrokenPromise, type Figures, type Part } from './part.ts'
import type { WeightAttack } from './weight/attack.ts'
import { carryOut } from './weight/carry-out.ts'
import { deliveries } from './weight/deliveries.ts'
import { files } from './weight/files.ts'
import { loops } from './weight/loops.ts'
import { people } from './weight/people.ts'
import { reads } from './weight/reads.ts'
import { shares } from './weight/shares.ts'
import { socketAttacks } from './weight/socket-attacks.ts'
import { text } from './weight/text.ts'
import { together } from './weight/together.ts'
import { writes } from './weight/writes.ts'

const attacks: readonly WeightAttack[] = [
  ...reads,
  ...writes,
  ...shares,
  ...people,
  ...text,
  ...socketAttacks,
  ...files,
  ...deliveries,
  ...loops,
]
/** Attacks that set limits of the server are left out of the last: others would meet these limits, too. */
const allAttacks = [...attacks, together(attacks.filter(({ limitsServer }) => !limitsServer))]

/** How long others are watched before an attack, and during it. */
const times = { quick: { beforeMs: 500, attackMs: 1_500 }, long: { beforeMs: 5_000, attackMs: 20_000 } }

export const weight: Part = {
  name: 'weight',
  promise:
    'no single account, address or socket makes the server slow, big or gone for the others, also when ten attack at once',
  mostlyWaits: true,
  async run({ quick, minutes }) {
    const attacks = quick ? allAttacks.filter(({ isQuick }) => isQuick) : allAttacks
    const { beforeMs, attackMs } = times[quick ? 'quick' : 'long']
    const forMs = minutes === null ? attackMs : (minutes * 60_000) / attacks.length
    const figures: Figures = {}
    const findings: string[] = []
    for (const attack of attacks) {
      const outcome = await carryOut(attack, beforeMs, forMs)
      figures[attack.name] = outcome.row
      findings.push(...outcome.findings.map((finding) => `${attack.name}: ${finding}`))
    }
    if (findings.length > 0) throw new BrokenPromise(findings.join('\n  '), figures)
    return figures
  },
}
