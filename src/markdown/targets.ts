import type { Steps } from './tokens.ts'

/** The most brackets in the address of a link: each link before a longer address would read it in vain. */
const mostBrackets = 8

type Target = { href: string; end: number }

/** Reads the addresses of links, `(address "title")`. */
export class TargetReader {
  private readonly src: string
  private readonly steps: Steps
  /** The quotation marks that do not occur again. */
  private readonly unended = new Set<string>()
  private at = 0

  constructor(src: string, steps: Steps) {
    this.src = src
    this.steps = steps
  }

  /** The address in the brackets that begin here, and the place after them. */
  read(start: number): Target | undefined {
    this.at = start + 1
    this.skipSpace()
    const href = this.src[this.at] === '<' ? this.readAngled() : this.readBare()
    if (href === undefined) return undefined
    const hasGap = this.skipSpace()
    if (hasGap && /["']/.test(this.src[this.at] ?? '') && !this.skipTitle()) return undefined
    if (this.src[this.at] !== ')') return undefined
    return { href: href.replace(/\\([!-/:-@[-`{-~])/g, '$1'), end: this.at + 1 }
  }

  private skipSpace(): boolean {
    const start = this.at
    while (/\s/.test(this.src[this.at] ?? '')) this.at += 1
    this.steps.take(this.at - start)
    return this.at > start
  }

  private readAngled(): string | undefined {
    const start = this.at + 1
    for (this.at = start; /[^<>\n]/.test(this.src[this.at] ?? '\n'); this.at += 1) this.steps.take()
    if (this.src[this.at] !== '>') return undefined
    this.at += 1
    return this.src.slice(start, this.at - 1)
  }

  private readBare(): string | undefined {
    const start = this.at
    let [depth, brackets] = [0, 0]
    for (; /\S/.test(this.src[this.at] ?? ' '); this.at += 1) {
      this.steps.take()
      const sign = this.src[this.at]
      if (sign === '\\') this.at += 1
      else if (sign === '(') depth += 1
      else if (sign === ')') depth -= 1
      if (sign === '(') brackets += 1
      if (brackets > mostBrackets) return undefined
      if (depth < 0) break
    }
    return depth > 0 ? undefined : this.src.slice(start, this.at)
  }

  private skipTitle(): boolean {
    const quote = this.src[this.at]!
    if (this.unended.has(quote)) return false
    for (this.at += 1; this.at < this.src.length && this.src[this.at] !== quote; this.at += 1) {
      this.steps.take()
      if (this.src[this.at] === '\\') this.at += 1
    }
    if (this.at >= this.src.length) this.unended.add(quote)
    this.at += 1
    this.skipSpace()
    return true
  }
}
