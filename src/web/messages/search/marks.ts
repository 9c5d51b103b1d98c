import { wantedTexts } from './search-text.ts'

/** A part of a text; `isMarked`: it was searched for. */
export type Part = { text: string; isMarked: boolean }

const letter = '[\\p{L}\\p{M}\\p{N}]'
/** Emoji and the like: each is a word. */
const symbol = '(?![\\0-\\x7f])\\p{S}'
const wordPattern = new RegExp(`${letter}+|${symbol}`, 'gu')
/** What separates two words. It contains none, so that no text is read again and again. */
const gap = `(?:(?!${letter}|${symbol}).)*`
/** Scripts without spaces between words, and Korean: the beginning of a word cannot be told there. */
const withoutSpaces =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]/u
/** A word with fewer letters must occur as it is (docs/api.md#search). */
const minBeginning = 3

/**
 * Marks the parts of a text that a search found. It compares as the server does: from the beginning of a word, without
 * case and accents.
 */
export function markWords(text: string, q: string): Part[] {
  const pattern = patternOf(q)
  if (!pattern) return [{ text, isMarked: false }]
  const { folded, starts } = foldWithStarts(text)
  const parts: Part[] = []
  let done = 0
  for (const { 0: found, index } of folded.matchAll(pattern)) {
    const [from, to] = [starts[index]!, starts[index + found.length]!]
    if (to <= from || from < done) continue
    if (from > done) parts.push({ text: text.slice(done, from), isMarked: false })
    parts.push({ text: text.slice(from, to), isMarked: true })
    done = to
  }
  if (done < text.length) parts.push({ text: text.slice(done), isMarked: false })
  return parts
}

function patternOf(q: string): RegExp | undefined {
  const patterns = wantedTexts(q).flatMap(({ text, isQuoted }) => {
    const words = fold(text).match(wordPattern)
    if (!words) return []
    const [first, last] = [words[0]!, words.at(-1)!]
    const isWhole = isQuoted || [...last].length < minBeginning
    const begin = startsWord(first) ? `(?<!${letter})` : ''
    const end = isWhole && startsWord(last) ? `(?!${letter})` : ''
    return [`${begin}${words.join(gap)}${end}`]
  })
  return patterns.length > 0 ? new RegExp(patterns.join('|'), 'gsu') : undefined
}

function startsWord(word: string): boolean {
  return /^[\p{L}\p{M}\p{N}]/u.test(word) && !withoutSpaces.test(word.normalize())
}

const letters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
  ς: 'σ',
}

function fold(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[\p{Mn}\p{Cf}]/gu, '')
    .toLowerCase()
  return plain.replace(/[ßæœþøłđðıħŧς]/g, (each) => letters[each]!)
}

/** A folded text; `starts` has the start of the original letter of each of its code units, and the end of the text. */
function foldWithStarts(text: string): { folded: string; starts: number[] } {
  let folded = ''
  const starts: number[] = []
  let at = 0
  for (const each of text) {
    const piece = fold(each)
    for (let unit = 0; unit < piece.length; unit += 1) starts.push(at)
    folded += piece
    at += each.length
  }
  return { folded, starts: [...starts, text.length] }
}
