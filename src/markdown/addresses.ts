import type { Steps } from './tokens.ts'

const scheme = /(?:https?:\/\/|www\.)(?=[\p{L}\p{N}])/iuy
const wordBefore = /[\p{L}\p{N}]/u
const trailing = /[?!.,:;*_'"~()&]/
const localSign = /[A-Za-z0-9._%+-]/
const domainSign = /[A-Za-z0-9.-]/
const longestLocal = 64

/** The end of the address that begins here, or undefined. Within brackets, the address ends before the closing one. */
export function addressEnd(src: string, at: number, isInBrackets: boolean, steps: Steps): number | undefined {
  scheme.lastIndex = at
  if (!scheme.test(src)) return undefined
  if (/w/i.test(src[at]!) && wordBefore.test(src[at - 1] ?? '')) return undefined
  let end = at
  let unclosed = 0
  for (; end < src.length && !/[\s<]/.test(src[end]!); end += 1) {
    if (isInBrackets && src[end] === ']') break
    if (src[end] === '(') unclosed += 1
    if (src[end] === ')') unclosed -= 1
  }
  steps.take(end - at)
  // Punctuation at the end, and a closing bracket without an opening one, are not part of the address.
  while (trailing.test(src[end - 1]!)) {
    if (src[end - 1] === ')') {
      if (unclosed >= 0) break
      unclosed += 1
    }
    if (src[end - 1] === '(') unclosed -= 1
    end -= 1
  }
  return end
}

/** The e-mail address around an "@", from `from` on. */
export function emailAround(
  src: string,
  at: number,
  from: number,
  steps: Steps,
): { start: number; end: number } | undefined {
  let start = at
  while (start > from && at - start < longestLocal && localSign.test(src[start - 1]!)) start -= 1
  let end = at + 1
  while (end < src.length && domainSign.test(src[end]!)) end += 1
  steps.take(end - start)
  while (/[.-]/.test(src[end - 1]!)) end -= 1
  const isDomain = /^[^.]+(?:\.[^.]+)+$/.test(src.slice(at + 1, end))
  return start < at && isDomain ? { start, end } : undefined
}

/** The address in angle brackets: one with a scheme, or an e-mail address. */
export function readTarget(text: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]{1,31}:/i.test(text)) return text
  return /^[\w.%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(text) ? `mailto:${text}` : undefined
}

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
