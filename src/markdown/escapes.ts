import type { Steps } from './tokens.ts'

/** Signs with a meaning in messages wherever they stand. */
const escapable = /[*_~`[\]<>@#]/
/** What begins a list only at the beginning of a line. */
const bullet = /[-+](?=\s|$)/y
const number = /[.)](?=\s|$)/y
const indent = /(?:^|\n)\s{0,3}$/
const digits = /(?:^|\n)\s{0,3}\d{1,9}$/
const longestMark = 13
/** The name of an emoji, from the colon on. */
const emojiName = /:[\w+-]{2,40}:/y
/**
 * The rest of a figure, `\_(ツ)_/`, `\_/` or `¯\_`, unless its face has an escaped arm already, or a word ends with the sign
 * (`\_\_tests\_\_/`).
 */
const figure = /_\([^\n]{1,24}?\)_\/|(?<![)\p{L}\p{N}_]\\)_+\/|(?<=[¯‾￣]\\)_+/uy

/** The beginning of a path, up to its first backslash. */
const drive = /(?<![\p{L}\p{N}])[A-Za-z]:$/u
const relative = /(?<![\p{L}\p{N}.])(?:\.{1,2}|%[\w()]{1,32}%)$/u
const longestBeginning = 40
const wordStart = /(?<![\p{L}\p{N}])$/u
const server = /\\\\(?=[\p{L}\p{N}])/uy
const wordOfPath = /[^\s"|`]*/y
/** Further words of a path, which may have spaces. */
const restOfPath = /[^\n"|`<>?*:,;]*/y

type Path = { wordEnd: number; end: number; signBefore: string | undefined }

/** What some backslashes and the sign after them are shown as. */
export type Escape = { text: string; end: number }

/**
 * Reads runs of backslashes. A backslash escapes only signs that have a meaning there; before all others, in a path and
 * in a figure it is shown. `\\` is one backslash only where the second would escape.
 */
export class EscapeReader {
  private readonly src: string
  private readonly steps: Steps
  private path: Path | undefined

  constructor(src: string, steps: Steps) {
    this.src = src
    this.steps = steps
  }

  /** Reads the run that begins here; an escape without text: the run is shown, and means nothing to what follows. */
  read(at: number): Escape | { text: undefined; end: number } {
    let end = at + 1
    while (this.src[end] === '\\') end += 1
    const count = end - at
    this.steps.take(count)
    const sign = this.src[end] ?? ''
    const path = this.pathAt(at, end)
    const rest = sign === '_' && !path ? this.match(figure, end) : undefined
    if (rest !== undefined) return { text: `\\${rest}`, end: end + rest.length }
    if (!this.isEscapable(sign, at, end)) return { text: undefined, end }
    if (path && (count === 1 || count % 2 === 0)) {
      // `**C:\dir\**`: what is around the path is no part of it.
      if (isPair(path.signBefore, sign)) return { text: undefined, end }
      return { text: this.src.slice(at, end + 1), end: end + 1 }
    }
    const shown = '\\'.repeat(count >> 1)
    return count % 2 === 1 ? { text: shown + sign, end: end + 1 } : { text: shown, end }
  }

  private isEscapable(sign: string, at: number, end: number): boolean {
    if (escapable.test(sign)) return true
    if (sign === ':') return this.match(emojiName, end) !== undefined
    const start = this.src.slice(Math.max(0, at - longestMark), at)
    // What is cut off may not look like the beginning of a line.
    const lineStart = at > longestMark ? `.${start}` : start
    if (this.match(bullet, end) !== undefined) return indent.test(lineStart)
    return this.match(number, end) !== undefined && digits.test(lineStart)
  }

  /** The path that these backslashes are in. */
  private pathAt(at: number, end: number): Path | undefined {
    if (this.path && at < this.path.wordEnd) return this.path
    if (this.path && end < this.path.end && end - at === 1 && /\S/.test(this.src[at - 1]!)) return this.path
    const start = this.src.slice(Math.max(0, at - longestBeginning), at)
    const [beginning] = drive.exec(start) ?? relative.exec(start) ?? []
    const isServer = beginning === undefined && wordStart.test(start) && this.match(server, at) !== undefined
    if (beginning === undefined && !isServer) return undefined
    const wordEnd = end + this.match(wordOfPath, end)!.length
    const signBefore = this.src[at - (beginning?.length ?? 0) - 1]
    this.path = { wordEnd, end: Math.max(wordEnd, this.pathEnd(at, end, isServer)), signBefore }
    return this.path
  }

  private pathEnd(at: number, end: number, isServer: boolean): number {
    if (this.path && end < this.path.end) return this.path.end
    // A doubled backslash is somebody's escape: nothing else of the line is a path.
    return isServer || end - at === 1 ? end + this.match(restOfPath, end)!.length : end
  }

  private match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at
    const [found] = pattern.exec(this.src) ?? []
    this.steps.take(1 + (found?.length ?? 0))
    return found
  }
}

function isPair(before: string | undefined, sign: string): boolean {
  return before === sign || (before === '[' && sign === ']')
}
