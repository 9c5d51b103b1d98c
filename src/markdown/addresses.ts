import { unspaced, wordSign } from './scripts.ts'
import type { Steps } from './tokens.ts'

const scheme = /(?:https?:\/\/|www\.)(?=[\p{L}\p{N}])/iuy
const wordBefore = new RegExp(`${wordSign}$`, 'u')
/** What no address contains: white space, quotation marks, and the punctuation of Chinese and Japanese. */
const outside =
  /[\s\p{Cc}\u200b\u2060-\u2069\u200e\u200f<>"`～、。，．：；！？…‥—―“”„‟«»‹›「」『』【】《》〈〉〔〕〖〗〘〙〚〛（）［］｛｝｟｠｢｣｡､]/u
/** Punctuation that ends a sentence, or a part of one, and not an address. */
const trailing = /[?!.,:;*_'~&|]|(?![!-~])\p{P}/u
const mention = /<@!?\d{1,19}>/y
/** A name of ASCII letters, and words that follow it directly. */
const domain = new RegExp(
  `^(?:https?://)?(?:[a-z0-9-]+\\.)+[a-z]{2,}(?=[${unspaced}][^./?#:]*(?:$|[/?#:]))`,
  'iu',
)
const localSign = /[A-Za-z0-9._%+-]/
const domainSign = /[A-Za-z0-9.-]/
const longestLocal = 64
const closing: Record<string, string> = { ')': '(', ']': '[', '}': '{' }
/** Quotation marks that are apostrophes, too: one ends an address only if its other half is before it. */
const quotes: Record<string, string> = { "'": "'", '‘': '’' }
const opening = new Set(Object.values(closing))
/** The most brackets that are open in an address: what is behind one that nothing closes is read again. */
const mostOpen = 4

/** Signs that would end emphasis around an address. */
export type OpenMarks = { has(sign: '*' | '~'): boolean }

/**
 * The end of the address that begins here, or undefined. It ends where somebody who reads the text sees its end: brackets
 * in it are closed, and the punctuation of the sentence is no part of it.
 */
export function addressEnd(src: string, at: number, marks: OpenMarks, steps: Steps): number | undefined {
  scheme.lastIndex = at
  if (!scheme.test(src)) return undefined
  if (/w/i.test(src[at]!) && wordBefore.test(src.slice(Math.max(0, at - 2), at))) return undefined
  let end = signsEnd(src, at, marks, steps)
  const [name] = domain.exec(src.slice(at, end)) ?? []
  if (name !== undefined) end = at + name.length
  while (trailing.test(src[end - 1]!)) end -= 1
  return end
}

/** The end of the signs that an address may have, before a bracket of which there is no other half. */
function signsEnd(src: string, at: number, marks: OpenMarks, steps: Steps): number {
  const open: { sign: string; at: number }[] = []
  const endQuote = quotes[src[at - 1] ?? '']
  let end = at
  while (end < src.length) {
    const sign = src[end]!
    const mentionLength = sign === '<' ? mentionAt(src, end) : 0
    if (mentionLength === 0 && outside.test(sign)) break
    if (sign === endQuote || isMarkEnd(src, end, marks)) break
    if (opening.has(sign)) open.push({ sign, at: end })
    if (open.length > mostOpen) break
    if (sign in closing) {
      if (open.at(-1)?.sign !== closing[sign]) break
      open.pop()
    }
    end += mentionLength || 1
  }
  steps.take(end - at)
  return open[0]?.at ?? end
}

function isMarkEnd(src: string, at: number, marks: OpenMarks): boolean {
  const sign = src[at]
  if (sign === '*') return marks.has(sign)
  return sign === '~' && src[at + 1] === '~' && marks.has(sign)
}

/** The length of a mention that is part of an address, as in a query. */
function mentionAt(src: string, at: number): number {
  if (/[!.,:;*'"~)\]}]/.test(src[at - 1]!)) return 0
  mention.lastIndex = at
  return mention.exec(src)?.[0].length ?? 0
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
