import type { Steps } from './tokens.ts'

/** The runs of backticks in a text, by length: the next run of a length is found without a search. */
export class CodeMarks {
  private readonly src: string
  private readonly steps: Steps
  /** For each length, where its runs are, the last one first. */
  private readonly runs = new Map<number, number[]>()

  constructor(src: string, steps: Steps) {
    this.src = src
    this.steps = steps
    for (let at = src.lastIndexOf('`'); at !== -1; ) {
      let start = at
      while (src[start - 1] === '`') start -= 1
      const length = at - start + 1
      steps.take(length)
      const known = this.runs.get(length)
      if (known) known.push(start)
      else this.runs.set(length, [start])
      at = start === 0 ? -1 : src.lastIndexOf('`', start - 1)
    }
  }

  /** The code that begins with the run here, and its end; without a run that ends it, the end of the run. */
  read(at: number): { text?: string; end: number } {
    let start = at + 1
    while (this.src[start] === '`') start += 1
    const length = start - at
    this.steps.take(length)
    const ends = this.runs.get(length) ?? []
    // Runs before this place are not needed any more.
    while (ends.length > 0 && ends.at(-1)! < start) {
      ends.pop()
      this.steps.take()
    }
    const end = ends.at(-1)
    if (end === undefined) return { end: start }
    const text = this.src.slice(start, end).replaceAll('\n', ' ')
    const isPadded = text.startsWith(' ') && text.endsWith(' ') && text.trim() !== ''
    return { text: isPadded ? text.slice(1, -1) : text, end: end + length }
  }
}
