import { parseInline } from './inline.ts'
import { joined, type Line, placeOf, restOf } from './lines.ts'
import type { Steps, Token } from './tokens.ts'

/** How deep quotes and lists may be nested; deeper ones are text. */
const deepest = 6

const fence = /^( {0,3})(`{3,}|~{3,})(.*)$/
const quoteMark = /^ {0,3}> ?/
const bulletMark = /^( {0,3})([*+-]|\d{1,9}[.)])(?:([ \t]+)(?=\S)|[ \t]*$)/

type Lines = readonly Line[]
/** A block, and the line after it. */
type Read = { token: Extract<Token, { raw: string }>; end: number }

/** The blocks of some lines. Each line is read a few times at most. */
export function parseBlocks(lines: Lines, depth: number, steps: Steps): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < lines.length; ) {
    const blanks = countBlank(lines, at, steps)
    if (blanks > 0) {
      addSpace(tokens, lines.slice(at, at + blanks), at + blanks === lines.length)
      at += blanks
      continue
    }
    const { token, end } = readBlock(lines, at, depth, steps)
    const goesOn = end < lines.length && lines[end]!.text.trim() !== ''
    tokens.push(goesOn ? { ...token, raw: `${token.raw}\n` } : token)
    at = end
  }
  return tokens
}

function readBlock(lines: Lines, at: number, depth: number, steps: Steps): Read {
  const line = lines[at]!.text
  if (isFence(line)) return readFence(lines, at, steps)
  if (depth < deepest && quoteMark.test(line)) return readQuote(lines, at, depth, steps)
  if (depth < deepest && bulletMark.test(line)) return readList(lines, at, depth, steps)
  return readParagraph(lines, at, depth, steps)
}

/** Adds empty lines between blocks, with the line break before them, except after a quote, which contains its own. */
function addSpace(tokens: Token[], blank: Lines, isEnd: boolean): void {
  const before = tokens.at(-1)
  const start = before && before.type !== 'blockquote' ? '\n' : ''
  tokens.push({ type: 'space', raw: start + joined(blank) + (isEnd ? '' : '\n') })
}

function countBlank(lines: Lines, at: number, steps: Steps): number {
  let end = at
  while (end < lines.length && lines[end]!.text.trim() === '') {
    steps.take(lines[end]!.text.length + 1)
    end += 1
  }
  return end - at
}

function isFence(line: string): boolean {
  const [, , marks, info] = fence.exec(line) ?? []
  return marks !== undefined && !(marks.startsWith('`') && info!.includes('`'))
}

/** Code, up to the line that ends it or the end of the text. */
function readFence(lines: Lines, at: number, steps: Steps): Read {
  const [, indent = '', marks = '', info = ''] = fence.exec(lines[at]!.text)!
  let end = at + 1
  while (end < lines.length && !endsFence(lines[end]!.text, marks)) {
    steps.take(lines[end]!.text.length + 1)
    end += 1
  }
  const inside = lines.slice(at + 1, end).map((line) => withoutIndent(line.text, indent.length))
  if (end === lines.length && inside.at(-1) === '') inside.pop()
  const after = Math.min(end + 1, lines.length)
  const all = lines.slice(at, after)
  const text = inside.join('\n')
  return {
    token: { type: 'code', raw: joined(all), text, lang: info.trim(), place: placeOf(all) },
    end: after,
  }
}

function endsFence(line: string, marks: string): boolean {
  const [, , found, rest] = fence.exec(line) ?? []
  return found?.startsWith(marks) === true && rest!.trim() === ''
}

function withoutIndent(line: string, most: number): string {
  return line.slice(Math.min(most, indentOf(line)))
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** Only the lines that begin with ">": what is written below a quote is no part of it. */
function readQuote(lines: Lines, at: number, depth: number, steps: Steps): Read {
  let end = at
  while (end < lines.length && quoteMark.test(lines[end]!.text)) {
    steps.take(lines[end]!.text.length + 1)
    end += 1
  }
  const quoted = lines.slice(at, end)
  const tokens = parseBlocks(
    quoted.map((line) => restOf(line, quoteMark.exec(line.text)![0].length)),
    depth + 1,
    steps,
  )
  return { token: { type: 'blockquote', raw: joined(quoted), tokens }, end }
}

function readParagraph(lines: Lines, at: number, depth: number, steps: Steps): Read {
  let end = at + 1
  while (end < lines.length && lines[end]!.text.trim() !== '' && !interrupts(lines[end]!.text, depth)) {
    steps.take(lines[end]!.text.length + 1)
    end += 1
  }
  const all = lines.slice(at, end)
  return { token: { type: 'paragraph', raw: joined(all), tokens: parseInline(all, steps) }, end }
}

/** Whether a line ends a paragraph. A number does only if it is 1: it begins a list. */
function interrupts(line: string, depth: number): boolean {
  if (isFence(line)) return true
  if (depth >= deepest) return false
  const [, , mark, gap] = bulletMark.exec(line) ?? []
  return quoteMark.test(line) || (gap !== undefined && /^(?:\D|1[.)])/.test(mark!))
}

/** Items with the same kind of mark, each with what is indented below it. */
function readList(lines: Lines, at: number, depth: number, steps: Steps): Read {
  const { kind, number } = readMark(lines[at]!.text)!
  const items: Lines[] = []
  let isLoose = false
  let end = at
  while (readMark(lines[end]?.text ?? '')?.kind === kind) {
    const item = readItem(lines, end, depth, steps)
    items.push(item.lines)
    end = item.end
    isLoose ||= item.lines.some(({ text }, index) => index > 0 && text === '')
    const blanks = countBlank(lines, end, steps)
    if (blanks === 0 || readMark(lines[end + blanks]?.text ?? '')?.kind !== kind) continue
    isLoose = true
    end += blanks
  }
  const parsed = items.map((item) => ({ tokens: asItem(parseBlocks(item, depth + 1, steps), isLoose) }))
  const raw = joined(lines.slice(at, end))
  return {
    token: { type: 'list', raw, ordered: number !== undefined, start: number ?? 1, items: parsed },
    end,
  }
}

type Mark = { kind: string; number: number | undefined; width: number }

function readMark(line: string): Mark | undefined {
  const [, indent, mark, gap = ' '] = bulletMark.exec(line) ?? []
  if (indent === undefined || mark === undefined) return undefined
  const number = mark.length > 1 ? Number(mark.slice(0, -1)) : undefined
  return {
    kind: mark.at(-1)!,
    number,
    width: indent.length + mark.length + (gap.length > 4 ? 1 : gap.length),
  }
}

function readItem(lines: Lines, at: number, depth: number, steps: Steps): { lines: Line[]; end: number } {
  const { width } = readMark(lines[at]!.text)!
  const item = [restOf(lines[at]!, width)]
  let end = at + 1
  while (end < lines.length) {
    const blanks = countBlank(lines, end, steps)
    const line = lines[end + blanks] ?? { text: '', at: 0 }
    steps.take(line.text.length + 1)
    const isBelow = indentOf(line.text) >= width && line.text.trim() !== ''
    // A line without an indent continues the paragraph before it.
    if (!isBelow && (blanks > 0 || readMark(line.text) || interrupts(line.text, depth))) break
    for (const blank of lines.slice(end, end + blanks)) item.push(restOf(blank, blank.text.length))
    item.push(restOf(line, isBelow ? width : indentOf(line.text)))
    end += blanks + 1
  }
  return { lines: item, end }
}

/** In a list without empty lines, the paragraphs of an item become text. */
function asItem(tokens: Token[], isLoose: boolean): Token[] {
  if (isLoose) return tokens
  return tokens.map((token) => (token.type === 'paragraph' ? { ...token, type: 'text' } : token))
}
