import { computed } from '@preact/signals'
import { language } from './texts.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

/** The region is that of the browser: "en" alone would be American. */
const locale = computed(() => navigator.languages.find(isRegional) ?? language.value)

/** Formats are kept: making one takes long. */
function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale.value} ${JSON.stringify(options)}`
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale.value, options)
  formats.set(key, known)
  return known
}

/** Some systems name what is no language tag, like `en-US@posix`. */
function isRegional(tag: string): boolean {
  try {
    return tag.split('-')[0] === language.value && Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}

/** 10:02 */
export function timeText(time: number): string {
  return format({ hour: '2-digit', minute: '2-digit' }).format(time)
}

/** Monday, 23 November */
export function dayText(time: number): string {
  const isThisYear = new Date(time).getFullYear() === new Date().getFullYear()
  return format({
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(!isThisYear && { year: 'numeric' }),
  }).format(time)
}

/** Monday, 23 November 2026 at 10:02 */
export function fullText(time: number): string {
  return format({ dateStyle: 'full', timeStyle: 'short' }).format(time)
}

/** 23 Nov 2026, 10:02 */
export function shortText(time: number): string {
  return format({ dateStyle: 'medium', timeStyle: 'short' }).format(time)
}

/** A duration in its largest unit, as "1 hour" or "1h". */
export function durationText(seconds: number, unitDisplay: 'long' | 'narrow' = 'long'): string {
  const units = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ] as const
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? units[3]
  const format = new Intl.NumberFormat(language.value, { style: 'unit', unit, unitDisplay })
  return format.format(Math.round(seconds / size))
}
