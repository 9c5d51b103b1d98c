import { addressEnd, emailAround, readTarget } from './addresses.ts'
import { CodeMarks } from './code-marks.ts'
import { type Mark, matchMarks, readMark } from './emphasis.ts'
import { EscapeReader } from './escapes.ts'
import { joined, type Line, PlaceFinder } from './lines.ts'
import { pathEnd } from './paths.ts'
import { TargetReader } from './targets.ts'
import type { Place, Steps, Token } from './tokens.ts'

/** A "[" that may begin a link: where it stands in the text, among the parts, and among the marks. */
type Bracket = { at: number; part: number; isPicture: boolean }

const special = /[\\`*_~[\]<@hHwW/]/

/** The parts of a paragraph, in one pass: a closing sign looks back only at the signs that may open. */
export function parseInline(lines: readonly Line[], steps: Steps): Token[] {
  return new InlineParser(lines, steps).parse()
}

class InlineParser {
  private readonly src: string
  private readonly steps: Steps
  private readonly code: CodeMarks
  private readonly targets: TargetReader
  private readonly escapes: EscapeReader
  private readonly places: PlaceFinder
  /** The signs of marks that may be closed by what follows. */
  private readonly openMarks = new Set<Mark['sign']>()
  private parts: (Token | Mark)[] = []
  private brackets: Bracket[] = []
  private at = 0
  /** Where the text begins that is not among the parts yet. */
  private textFrom = 0

  constructor(lines: readonly Line[], steps: Steps) {
    this.src = joined(lines)
    this.steps = steps
    this.code = new CodeMarks(this.src, steps)
    this.targets = new TargetReader(this.src, steps)
    this.escapes = new EscapeReader(this.src, steps)
    this.places = new PlaceFinder(lines)
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
      case '/':
        return this.readPath()
      case '*':
      case '_':
      case '~':
        return this.readMark(sign)
      default:
        return this.readAddress()
    }
  }

  private readEscape(): boolean {
    const { text, end } = this.escapes.read(this.at)
    if (text === undefined) this.at = end
    else this.add({ type: 'literal', raw: this.src.slice(this.at, end), text, place: this.place(end) }, end)
    return true
  }

  private readCode(): boolean {
    const { text, end } = this.code.read(this.at)
    if (text === undefined) this.at = end
    else {
      const raw = this.src.slice(this.at, end)
      this.steps.take(raw.length)
      this.add({ type: 'codespan', raw, text, place: this.place(end) }, end)
    }
    return true
  }

  private readMark(sign: Mark['sign']): boolean {
    const { mark, end } = readMark(this.src, this.at, sign)
    this.steps.take(end - this.at)
    if (!mark) this.at = end
    else {
      if (mark.canOpen) this.openMarks.add(sign)
      this.add(mark, end)
    }
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
      ? { type: 'literal', raw, text: raw, place: this.places.find(bracket.at, target.end) }
      : {
          type: 'link',
          raw,
          href: target.href,
          text,
          tokens: this.linkText(inner),
          place: this.place(target.end),
        }
    if (!bracket.isPicture) this.brackets = []
    this.parts.push(token)
    this.at = target.end
    this.textFrom = target.end
    return true
  }

  /** The text of a link; the first of `parts` begins with its "[". */
  private linkText(parts: (Token | Mark)[]): Token[] {
    const plain = parts.map((part): Token | Mark => {
      return part.type === 'link' ? { ...part, type: 'literal', text: part.raw } : part
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
    const [, id] = /^@!?(\d{1,19})$/.exec(text) ?? []
    if (id !== undefined) this.add({ type: 'mention', raw, id, place: this.place(end + 1) }, end + 1)
    else {
      const href = readTarget(text)
      if (href === undefined) return false
      this.addLink(href, text, end + 1)
    }
    return true
  }

  private readAddress(): boolean {
    const end = addressEnd(this.src, this.at, this.openMarks, this.steps)
    if (end === undefined) return false
    const text = this.src.slice(this.at, end)
    this.addLink(/^www\./i.test(text) ? `http://${text}` : text, text, end)
    return true
  }

  private readPath(): boolean {
    const end = pathEnd(this.src, this.at)
    if (end === undefined) return false
    const path = this.src.slice(this.at, end)
    this.addLink(path, path, end)
    return true
  }

  private readEmail(): boolean {
    const found = emailAround(this.src, this.at, this.textFrom, this.steps)
    if (!found) return false
    const text = this.src.slice(found.start, found.end)
    this.at = found.start
    this.addLink(`mailto:${text}`, text, found.end)
    return true
  }

  /** Adds a link from here on that shows its address. */
  private addLink(href: string, text: string, end: number): void {
    const raw = this.src.slice(this.at, end)
    this.add(
      { type: 'link', raw, href, text, tokens: [{ type: 'text', raw: text }], place: this.place(end) },
      end,
    )
  }

  /** The place of what begins here. */
  private place(end: number): Place {
    return this.places.find(this.at, end)
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
