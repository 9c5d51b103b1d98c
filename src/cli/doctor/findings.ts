import { reasonOf } from '../../errors.ts'

/** The result of one check: `ok`, worth knowing, or wrong. */
export type Finding = { check: string; state: 'ok' | 'note' | 'wrong'; sentence: string }

const result = (state: Finding['state']) => (check: string, sentence: string) => ({ check, state, sentence })

export const ok: (check: string, sentence: string) => Finding = result('ok')
export const note: typeof ok = result('note')
export const wrong: typeof ok = result('wrong')

/** Does what a setting is for, and says so or why it failed. */
export async function attempt(
  check: string,
  setting: string,
  good: string,
  work: () => Promise<unknown>,
): Promise<Finding> {
  try {
    await work()
    return ok(check, good)
  } catch (error) {
    const { cause } = error as Error
    const reason = cause instanceof Error ? `${reasonOf(error)}: ${reasonOf(cause)}` : reasonOf(error)
    return wrong(check, `${setting} cannot be used: ${reason.split('\n')[0]!.replace(/\.$/, '')}.`)
  }
}

/** A time span for people: `3 minutes`, `1 day`. */
export function describeSpan(ms: number): string {
  const units: [string, number][] = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ]
  const [unit, size] = units.find(([, each]) => ms >= each) ?? ['second', 1_000]
  const number = Math.floor(ms / size)
  return `${number} ${unit}${number === 1 ? '' : 's'}`
}
