import { after, before } from './scripts.ts'
import type { Steps, Token } from './tokens.ts'

/** A run of signs that may begin or end bold, italic or struck text; `left` of them are not used yet. */
export type Mark = {
  type: 'mark'
  sign: '*' | '_' | '~'
  count: number
  left: number
  canOpen: boolean
  canClose: boolean
}

/**
 * Reads a run of signs, and its end; without a mark, it can neither begin nor end anything. Beside Chinese, Japanese and
 * Korean characters, punctuation does not keep a mark from closing or opening, as they have no spaces around words.
 */
export function readMark(src: string, at: number, sign: Mark['sign']): { mark?: Mark; end: number } {
  let end = at + 1
  while (src[end] === sign) end += 1
  const count = end - at
  const [left, right] = [before(src, at), after(src, end)]
  const isLeftFree = left.isSpace || left.isPunctuation || left.isCjk
  const isRightFree = right.isSpace || right.isPunctuation || right.isCjk
  const isLeft = !right.isSpace && (!right.isPunctuation || right.isCjk || isLeftFree)
  const isRight = !left.isSpace && (!left.isPunctuation || left.isCjk || isRightFree)
  const canOpen = isLeft && (sign !== '_' || !isRight || left.isPunctuation)
  const canClose = isRight && (sign !== '_' || !isLeft || right.isPunctuation)
  if ((!canOpen && !canClose) || (sign === '~' && count > 2)) return { end }
  return { mark: { type: 'mark', sign, count, left: count, canOpen, canClose }, end }
}

/** How deep emphasis may be nested; deeper marks are text. */
const deepest = 10

/** An opening mark, and the parts after it; `depth`: that of the deepest emphasis in the parts. */
type Open = { mark: Mark; parts: Token[]; depth: number }

/**
 * Makes bold, italic and struck text of marks and the parts between them. A stack has the marks that are still open. A
 * mark that closes one removes those above it from the stack, so that each is looked at a few times.
 */
export function matchMarks(parts: readonly (Token | Mark)[], steps: Steps): Token[] {
  const root: Pick<Open, 'parts' | 'depth'> = { parts: [], depth: 0 }
  const stack: Open[] = []
  /** By kind of closing mark: the height of the stack below which no open mark fits it. */
  const vain = new Map<string, number>()
  const top = () => stack.at(-1) ?? root

  function put(part: Token, depth: number): void {
    const place = top()
    addTo(place.parts, part)
    place.depth = Math.max(place.depth, depth)
  }

  /** Makes text of the marks above a height. */
  function flatten(height: number): void {
    for (const { mark, parts, depth } of stack.splice(height)) {
      steps.take(parts.length + 1)
      for (const part of [textOf(mark), ...parts]) put(part, depth)
    }
  }

  /** The height of the open mark that this one closes; -1: there is none. */
  function findOpen(closer: Mark): number {
    const kind = kindOf(closer)
    const least = vain.get(kind) ?? 0
    for (let at = stack.length - 1; at >= least; at -= 1) {
      steps.take()
      if (fits(stack[at]!.mark, closer)) return at
    }
    vain.set(kind, stack.length)
    return -1
  }

  function close(closer: Mark): void {
    while (closer.left > 0) {
      const at = findOpen(closer)
      if (at === -1) return
      flatten(at + 1)
      const opened = stack[at]!
      if (opened.depth >= deepest) {
        // The marks below would be deeper still.
        flatten(0)
        return
      }
      const used = closer.sign === '~' ? closer.left : Math.min(2, closer.left, opened.mark.left)
      const type = closer.sign === '~' ? 'del' : used === 2 ? 'strong' : 'em'
      const made: Token = { type, tokens: opened.parts }
      opened.mark.left -= used
      closer.left -= used
      opened.depth += 1
      opened.parts = [made]
      if (opened.mark.left > 0) continue
      stack.pop()
      put(made, opened.depth)
    }
  }

  function open(mark: Mark): void {
    // The new mark is above those that were searched in vain.
    for (const [kind, height] of vain) if (height > stack.length) vain.set(kind, stack.length)
    stack.push({ mark, parts: [], depth: 0 })
  }

  for (const part of parts) {
    steps.take()
    if (part.type !== 'mark') {
      put(part, 0)
      continue
    }
    if (part.canClose) close(part)
    if (part.left === 0) continue
    if (part.canOpen) open(part)
    else put(textOf(part), 0)
  }
  flatten(0)
  return root.parts
}

/** Closing marks of the same kind fit the same open marks. */
function kindOf({ sign, canOpen, count, left }: Mark): string {
  return `${sign} ${canOpen} ${sign === '~' ? left : count % 3}`
}

/** Whether a mark may close another one (the rule of three is that of CommonMark). */
function fits(opener: Mark, closer: Mark): boolean {
  if (opener.sign !== closer.sign) return false
  if (opener.sign === '~') return opener.left === closer.left
  const isBoth = opener.canClose || closer.canOpen
  return (
    !isBoth || (opener.count + closer.count) % 3 !== 0 || (opener.count % 3 === 0 && closer.count % 3 === 0)
  )
}

function textOf({ sign, left }: Mark): Token {
  return { type: 'text', raw: sign.repeat(left) }
}

/** Adds a part; text is joined with the text before it. */
function addTo(parts: Token[], part: Token): void {
  const before = parts.at(-1)
  if (part.type === 'text' && before?.type === 'text')
    parts[parts.length - 1] = { type: 'text', raw: before.raw + part.raw }
  else parts.push(part)
}
