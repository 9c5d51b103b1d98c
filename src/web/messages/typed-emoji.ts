import { unspaced } from '../../markdown/scripts.ts'
import { isInCode } from './in-code.ts'

/** The range of a typed name, as in `:tada:`, or of an emoticon and its emoji. */
export type Typed = { start: number; end: number } & ({ name: string } | { emoji: string })

const emoticons: Record<string, string> = {
  ':)': '🙂',
  ':-)': '🙂',
  ';)': '😉',
  ';-)': '😉',
  ":')": '🥲',
  ':(': '🙁',
  ':-(': '🙁',
  ":'(": '😢',
  '>:(': '😠',
  ':D': '😃',
  ':-D': '😃',
  XD: '😆',
  xD: '😆',
  ':P': '😛',
  ':p': '😛',
  ':-P': '😛',
  ':-p': '😛',
  ':O': '😮',
  ':o': '😮',
  ':-O': '😮',
  ':-o': '😮',
  ':/': '😕',
  ':-/': '😕',
  ':|': '😐',
  ':-|': '😐',
  ':*': '😘',
  ':-*': '😘',
  '<3': '❤️',
  '</3': '💔',
}
/** The longest first: one may end with another. */
const byLength = Object.keys(emoticons).sort((a, b) => b.length - a.length)

const beforeEmoticon = new RegExp(String.raw`(?:^|[\s。、，！？…]|[${unspaced}])$`, 'u')
const beforeName = new RegExp(String.raw`(?:^|[^\p{L}\p{N}_:/\\]|[${unspaced}])$`, 'u')
const longestName = 60
const name = new RegExp(String.raw`:([\p{L}\p{N}_+-]{1,${longestName}}):$`, 'u')

/**
 * The name or emoticon before the caret that is to become an emoji; undefined in code. An emoticon without ")" counts only
 * before a space or at the end of the message (`isFinished`), because `:D` may begin a name.
 */
export function typedBefore(text: string, caret: number, isFinished = false): Typed | undefined {
  const before = text.slice(0, caret)
  const found = nameBefore(before) ?? emoticonBefore(before, isFinished)
  return found && !isInCode(text, found.start) ? found : undefined
}

function nameBefore(before: string): Typed | undefined {
  if (!before.endsWith(':')) return undefined
  const [whole, typed] = name.exec(before.slice(-longestName - 2)) ?? []
  if (whole === undefined || typed === undefined) return undefined
  const start = before.length - whole.length
  if (!beforeName.test(lastOf(before, start))) return undefined
  return { start, end: before.length, name: typed.toLowerCase() }
}

function emoticonBefore(before: string, isFinished: boolean): Typed | undefined {
  const isOver = isFinished || /\s$/.test(before)
  const end = before.length - (/\s$/.test(before) ? 1 : 0)
  if (!isOver && !before.endsWith(')')) return undefined
  const typed = byLength.find((each) => before.endsWith(each, end))
  if (typed === undefined) return undefined
  const start = end - typed.length
  return beforeEmoticon.test(lastOf(before, start)) ? { start, end, emoji: emoticons[typed]! } : undefined
}

/** The character before a place. */
function lastOf(text: string, end: number): string {
  return Array.from(text.slice(Math.max(0, end - 2), end)).at(-1) ?? ''
}
