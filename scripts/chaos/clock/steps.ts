/** How far a clock is to be from the right one, whether codes of an authenticator are tried there, and how long it lasts at least. */
export type Step = { what: string; shiftMs: number; totp?: boolean; lastsMs?: number }

const secondMs = 1_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** The gateway looks over its connections every second. */
const sweepMs = 1_200

export const knownSteps: readonly Step[] = [
  { what: 'right', shiftMs: 0 },
  { what: 'an hour back', shiftMs: -hourMs, totp: true, lastsMs: sweepMs },
  { what: 'an hour ahead', shiftMs: hourMs, totp: true, lastsMs: sweepMs },
  { what: 'right again', shiftMs: 0, totp: true },
  { what: 'two days back', shiftMs: -2 * dayMs },
  { what: '25 hours ahead', shiftMs: 25 * hourMs, totp: true, lastsMs: sweepMs },
  { what: 'half a minute back from there', shiftMs: 25 * hourMs - 30_000 },
]

/** As many from a right clock on, back or forth by seconds, minutes, hours or days. */
export function randomSteps(random: () => number): Step[] {
  const rest = knownSteps.slice(1).map(({ totp, lastsMs }): Step => {
    const sizeMs = secondMs * 10 ** (random() * Math.log10((30 * dayMs) / secondMs))
    const shiftMs = Math.round(random() < 0.5 ? -sizeMs : sizeMs)
    return { what: `off by ${shiftMs} ms`, shiftMs, totp, lastsMs }
  })
  return [knownSteps[0]!, ...rest]
}
