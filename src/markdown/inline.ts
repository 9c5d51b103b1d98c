import { addressEnd, emailAround, readTarget, TargetReader } from './addresses.ts'
import { CodeMarks } from './code-marks.ts'
import { type Mark, matchMarks } from './emphasis.ts'
import type { Steps, Token } from './tokens.ts'

/** A "[" that may begin a link: where it stands in the text, among the parts, and among the marks. */
type Bracket = { at: number; part: number; isPicture: boolean }

const escapable = /[!-/:-@[-`{-~]/
const special = /[\\`*_~[\]<@hHwW]/

/** The parts of a paragraph, in one pass: a closing sign looks back only at the signs that may open. */
export function parseInline(src: string, steps: Steps): Token[] {
  return new InlineParser(src, steps).parse()
}

class InlineParser {
  private readonly src: string
  private readonly steps: Steps
  private readonly code: CodeMarks
  private readonly targets: TargetReader
  private parts: (Token | Mark)[] = []
  private brackets: Bracket[] = []
  private at = 0
  /** Where the text begins that is not among the parts yet. */
  private textFrom = 0

  constructor(src: string, steps: Steps) {
    this.src = src
    this.steps = steps
    this.code = new CodeMarks(src, steps)
    this.targets = new TargetReader(src, steps)
  }

  parse(): Token[] {
    while (this.at < this.src.length) {
      this.steps.take()
      const sign = this.src[this.at]!
      if (!special.test(sign) || !this.readSpecial(sign)) this.at += 1
    }
    this.endText(this.at)
    return matchMarks(this.parts, this.steps)
  }

  /** Reads what a sign begins or ends. Returns false if it is text. */
  private readSpecial(sign: string): boolean {
    switch (sign) {
      case '\\':
        return this.readEscape()
      case '`':
        return this.readCode()
      case '[':
        return this.readOpening()
      case ']':
        return this.readClosing()
      case '<':
        return this.readAngle()
      case '@':
        return this.readEmail()
      case '*':
      case '_':
      case '~':
        return this.readMark(sign)
      default:
        return this.readAddress()
    }
  }

  private readEscape(): boolean {
    const text = this.src[this.at + 1]
    if (text === undefined || !escapable.test(text)) return false
    this.add({ type: 'escape', raw: `\\${text}`, text }, this.at + 2)
    return true
  }

  private readCode(): boolean {
    const found = this.code.read(this.at)
    if (found.text === undefined) this.at = found.end
    else {
      const raw = this.src.slice(this.at, found.end)
      this.steps.take(raw.length)
      this.add({ type: 'codespan', raw, text: found.text }, found.end)
    }
    return true
  }

  private readMark(sign: '*' | '_' | '~'): boolean {
    let end = this.at + 1
    while (this.src[end] === sign) end += 1
    const count = end - this.at
    this.steps.take(count)
    const [before, after] = [this.src[this.at - 1], this.src[end]]
    const isLeft = !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before))
    const isRight = !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after))
    const canOpen = isLeft && (sign !== '_' || !isRight || isPunctuation(before))
    const canClose = isRight && (sign !== '_' || !isLeft || isPunctuation(after))
    if ((!canOpen && !canClose) || (sign === '~' && count > 2)) this.at = end
    else this.add({ type: 'mark', sign, count, left: count, canOpen, canClose }, end)
    return true
  }

  private readOpening(): boolean {
    const isPicture = this.src[this.at - 1] === '!' && this.textFrom < this.at
    this.endText(this.at)
    this.brackets.push({ at: this.at, part: this.parts.length, isPicture })
    return false
  }

  private readClosing(): boolean {
    const bracket = this.brackets.pop()
    if (!bracket || this.src[this.at + 1] !== '(') return false
    const target = this.targets.read(this.at + 1)
    if (!target) return false
    this.endText(this.at)
    const raw = this.src.slice(bracket.at, target.end)
    const inner = this.parts.splice(bracket.part)
    this.steps.take(inner.length)
    const text = this.src.slice(bracket.at + 1, this.at)
    // No link is in another one, and a picture stays text.
    const token: Token = bracket.isPicture
      ? { type: 'text', raw }
      : { type: 'link', raw, href: target.href, text, tokens: this.linkText(inner) }
    if (!bracket.isPicture) this.brackets = []
    this.parts.push(token)
    this.at = target.end
    this.textFrom = target.end
    return true
  }

  /** The text of a link; the first of `parts` begins with its "[". */
  private linkText(parts: (Token | Mark)[]): Token[] {
    const plain = parts.map((part): Token | Mark => {
      return part.type === 'link' ? { type: 'text', raw: part.raw } : part
    })
    const [first, ...others] = plain
    const rest =
      first?.type === 'text' ? [{ type: 'text', raw: first.raw.slice(1) } as const, ...others] : plain
    return matchMarks(rest, this.steps)
  }

  /** `<@ID>`, `<@!ID>`, or an address in angle brackets. */
  private readAngle(): boolean {
    let end = this.at + 1
    while (end < this.src.length && !/[<>\s]/.test(this.src[end]!)) end += 1
    this.steps.take(end - this.at)
    if (this.src[end] !== '>') return false
    const raw = this.src.slice(this.at, end + 1)
    const text = raw.slice(1, -1)
    const [, id] = /^@!?(\d+)$/.exec(text) ?? []
    if (id !== undefined) this.add({ type: 'mention', raw, id }, end + 1)
    else {
      const href = readTarget(text)
      if (href === undefined) return false
      this.add({ type: 'link', raw, href, text, tokens: [{ type: 'text', raw: text }] }, end + 1)
    }
    return true
  }

  private readAddress(): boolean {
    const end = addressEnd(this.src, this.at, this.brackets.length > 0, this.steps)
    if (end === undefined) return false
    const raw = this.src.slice(this.at, end)
    const href = /^www\./i.test(raw) ? `http://${raw}` : raw
    this.add({ type: 'link', raw, href, text: raw, tokens: [{ type: 'text', raw }] }, end)
    return true
  }

  private readEmail(): boolean {
    const found = emailAround(this.src, this.at, this.textFrom, this.steps)
    if (!found) return false
    const raw = this.src.slice(found.start, found.end)
    this.at = found.start
    this.add(
      { type: 'link', raw, href: `mailto:${raw}`, text: raw, tokens: [{ type: 'text', raw }] },
      found.end,
    )
    return true
  }

  private add(part: Token | Mark, end: number): void {
    this.endText(this.at)
    this.parts.push(part)
    this.at = end
    this.textFrom = end
  }

  private endText(end: number): void {
    if (end > this.textFrom) this.parts.push({ type: 'text', raw: this.src.slice(this.textFrom, end) })
    this.textFrom = end
  }
}

function isSpace(sign: string | undefined): boolean {
  return sign === undefined || /\s/.test(sign)
}

function isPunctuation(sign: string | undefined): boolean {
  return sign !== undefined && /[\p{P}\p{S}]/u.test(sign)
}
