import { plainPlaces } from '../../markdown/references.ts'

/** Whether a place in a text is in code or an address. Code that is begun and not ended counts: its end may still be typed. */
export function isInCode(text: string, at: number): boolean {
  const before = text.slice(0, at)
  const isPlain = (end: string) => plainPlaces(`${before}x${end}`)(at)
  const marks = new Set(before.match(/`+/g))
  return !isPlain('') || [...marks].some((mark) => !isPlain(mark))
}
