import type { Place } from './tokens.ts'

/** A line without the marks of the blocks around it; `at` is where it begins in the text of the message. */
export type Line = { text: string; at: number }

/** The lines of a message's text. */
export function linesOf(content: string): Line[] {
  const lines: Line[] = []
  let at = 0
  for (const { 0: lineBreak, index } of content.matchAll(/\r\n?|\n/g)) {
    lines.push({ text: content.slice(at, index), at })
    at = index + lineBreak.length
  }
  lines.push({ text: content.slice(at), at })
  return lines
}

/** The rest of a line, from one of its characters on. */
export function restOf({ text, at }: Line, start: number): Line {
  return { text: text.slice(start), at: at + Math.min(start, text.length) }
}

/** Some lines as they were written, without the marks of the blocks around them. */
export function joined(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).join('\n')
}

/** Where some lines are in the text of the message. */
export function placeOf(lines: readonly Line[]): Place {
  const [first, last] = [lines[0]!, lines.at(-1)!]
  return { start: first.at, end: last.at + last.text.length }
}

/** Says where in the message the characters of some joined lines are. */
export class PlaceFinder {
  private readonly lines: readonly Line[]
  /** For each line, where it begins in the joined text. */
  private readonly starts: number[] = []

  constructor(lines: readonly Line[]) {
    this.lines = lines
    let start = 0
    for (const { text } of lines) {
      this.starts.push(start)
      start += text.length + 1
    }
  }

  /** The place of at least one character. */
  find(start: number, end: number): Place {
    return { start: this.inMessage(start), end: this.inMessage(end - 1) + 1 }
  }

  private inMessage(at: number): number {
    let [low, high] = [0, this.starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (this.starts[middle]! <= at) low = middle
      else high = middle - 1
    }
    return this.lines[low]!.at + at - this.starts[low]!
  }
}
