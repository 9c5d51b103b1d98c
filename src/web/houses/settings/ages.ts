import { language } from '../../texts/texts.ts'

const units = [
  ['year', 31_536_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** An age in the largest unit that it is a multiple of: "1 week", "36 hours". */
export function ageText(seconds: number): string {
  const [unit, size] = units.find(([, each]) => seconds % each === 0) ?? units[5]
  const format = new Intl.NumberFormat(language.value, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(seconds / size)
}
