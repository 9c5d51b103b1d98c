import type { Db } from '../../database/client.ts'
import type { Term } from './term-operations.ts'
import { type FoldedText, foldTexts } from './word-queries.ts'

/** `like` patterns of what messages must contain and must not, and the conditions for entries of the index. */
export type Words = { required: string[]; excluded: string[]; keys: string[] }

/** A word with fewer letters must occur as it is; others may be beginnings. */
const minBeginning = 3
/** The numbers of letters of the beginnings in the index (`search_keys`). */
const indexedLetters = { short: 4, long: 6 }
/** So many beginnings of a search are looked up with every possible next letter. */
const maxContinued = 4

/** What a search for these terms looks for. Terms of signs alone are ignored. */
export async function findWords(db: Db, terms: readonly Term[]): Promise<Words> {
  const folded = await foldTexts(
    db,
    terms.map(({ text }) => text),
  )
  const all = terms.map((term, n) => ({ ...term, ...folded[n]! })).filter(({ text }) => text.trim() !== '')
  const required = all.filter(({ isExcluded }) => !isExcluded)
  const patterns = required.map((term) => `%${isBeginning(term) ? term.text.trimEnd() : term.text}%`)
  const excluded = all.filter(({ isExcluded }) => isExcluded).map(({ text }) => `%${text}%`)
  return { required: [...new Set(patterns)], excluded: [...new Set(excluded)], keys: keysOf(required) }
}

type FoldedTerm = Term & FoldedText

function lastWordOf({ text }: FoldedTerm): string {
  return text.trimEnd().split(' ').at(-1)!
}

/** Whether longer words fit, too, that begin with the last word of a term. */
function isBeginning(term: FoldedTerm): boolean {
  return !term.isQuoted && [...lastWordOf(term)].length >= minBeginning
}

function keysOf(terms: readonly FoldedTerm[]): string[] {
  const continued = new Set<string>()
  const keys = terms.flatMap((term) => {
    const last = lastWordOf(term)
    if (!isBeginning(term) || isIndexed(last)) return term.keys
    if (continued.size < maxContinued) continued.add(last)
    return term.keys.filter((key) => key !== last)
  })
  return [...new Set(keys.map(quoted)), ...[...continued].map(anyContinuation)]
}

/** Whether the index has an entry for all words that begin with this one. */
function isIndexed(word: string): boolean {
  const { length } = [...word]
  return length === indexedLetters.short || length >= indexedLetters.long
}

/** The entries of the words that begin with this one, which has a letter less than those. */
function anyContinuation(word: string): string {
  const keys = [word, ...lettersLike([...word].at(-1)!).map((letter) => word + letter)]
  return `(${keys.map(quoted).join(' | ')})`
}

const asciiLetters = [...'abcdefghijklmnopqrstuvwxyz0123456789']

/** The letters and digits that can follow a letter: those of its script, as near as its block of 256 characters. */
function lettersLike(letter: string): string[] {
  const code = letter.codePointAt(0)!
  if (code < 0x80) return asciiLetters
  const block = Array.from({ length: 256 }, (_, n) => String.fromCodePoint((code & ~0xff) + n))
  return [...asciiLetters, ...block.filter((each) => /[\p{L}\p{M}\p{N}]/u.test(each))]
}

/** A word in a `tsquery`. Folded words have no quotes. */
function quoted(word: string): string {
  return `'${word}'`
}
