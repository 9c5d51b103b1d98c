import { nameToEmoji } from 'gemoji'
import { openFence, plainPlaces } from '../../../markdown/references.ts'

/** An object of a body that a service has sent: nothing is known of its fields. */
export type Fields = Record<string, unknown>

/**
 * So much is read of a text, and of a list: what is beyond would be cut off the message, even if entities (`&amp;`)
 * become a fifth of their length.
 */
const maxReadLength = 24_000
const maxReadItems = 4_000
/** The length of the end of a cut text: the end of a code block between line breaks, and an ellipsis. */
const reservedLength = 8
const longestFence = reservedLength - 3
/** How far back from the limit a line or word may end. */
const tailLength = 300

/** Whether a value is an object with fields. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object in a field, or one without fields. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

/** The objects in a list; nothing of a value that is no list. */
export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.slice(0, maxReadItems).filter(isFields) : []
}

/** A string or number as text that a message may contain, without white space at its ends; `''` for all else. */
export function textOf(value: unknown): string {
  return untrimmedTextOf(typeof value === 'string' ? value.trimStart() : value).trim()
}

/** The same with the white space. */
export function untrimmedTextOf(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return ''
  return value
    .slice(0, maxReadLength)
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\t\n])\p{Cc}/gu, '')
}

/** What a rendering makes of the items of a list, up to those that would be cut off the message. */
export function renderEach<Item>(
  items: readonly Item[],
  render: (item: Item, index: number) => string,
): string[] {
  const texts: string[] = []
  let length = 0
  for (const [index, item] of items.entries()) {
    if (length > maxReadLength) break
    const text = render(item, index)
    length += text.length
    texts.push(text)
  }
  return texts
}

/** The parts that are not empty, with a separator between them. */
export function joinParts(parts: readonly string[], separator = '\n'): string {
  return parts.filter((part) => part !== '').join(separator)
}

/** A bold line; `''` for no text. */
export function bold(text: string): string {
  return text === '' ? '' : `**${text}**`
}

/** A text with the address that it links to. */
export function linked(text: string, url: string): string {
  if (text === url) return url
  return text !== '' && url !== '' ? `${text} (${url})` : text || url
}

/** A text that leads to an address, which is not seen; beside it where Markdown could not read it. */
export function namedLink(text: string, url: string): string {
  return /^https?:\/\/[^\s()<>]+$/.test(url) ? `[${text}](${url})` : linked(text, url)
}

/**
 * A text with its Markdown escaped. An underscore within a word is no Markdown, nor is a backslash before what it does not
 * escape.
 */
export function escaped(text: string): string {
  const signs = /(\\+)(?=[`*~[\]_<>@#]).|[`*~[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu
  return text.replace(signs, (found) => found.replace(/./gu, '\\$&'))
}

/** An http or https address; `''` for anything else. */
export function urlOf(value: unknown): string {
  const text = textOf(value)
  return /^https?:\/\/[^\s<>]+$/.test(text) ? text : ''
}

/** Code points of a title, a name, or another text of one line. */
const maxLineLength = 256

/** A line of text that knows no Markdown, but emoji by their names, as GitHub and GitLab show it. */
export function plainLine(value: unknown): string {
  const [line] = textOf(value).split('\n', 1)
  return withEmoji(excerpt(line!.trimEnd(), maxLineLength), escaped)
}

/** The lines of a text that knows no Markdown, each as `plainLine` shows it. */
export function plainText(value: unknown): string {
  const lines = textOf(value).split('\n')
  return withEmoji(joinParts(lines.map((line) => excerpt(line.trim(), maxLineLength))), escaped)
}

/** A text with the emoji that it names (`:rocket:`). */
export function withEmoji(text: string, others = (part: string) => part): string {
  // Every second part is a name with its colons.
  const parts = text.split(/(:[\w+-]+:)/)
  return parts
    .map((part, index) => (index % 2 === 1 && emojiNamed(part.slice(1, -1))) || others(part))
    .join('')
}

/** How much of a Markdown text is looked through for names of emoji: more than a message has. */
const maxEmojiLength = 8_000

/** A Markdown text with the emoji that it names, but in code and addresses. */
export function withEmojiBesideCode(text: string): string {
  if (!/:[\w+-]+:/.test(text)) return text
  const isPlain = plainPlaces(text.slice(0, maxEmojiLength))
  return text.replace(/(?<![\p{L}\p{N}]):([\w+-]+):(?![\p{L}\p{N}])/gu, (found, name: string, at: number) => {
    return (isPlain(at) && emojiNamed(name)) || found
  })
}

function emojiNamed(name: string): string | undefined {
  return Object.hasOwn(nameToEmoji, name) ? nameToEmoji[name] : undefined
}

/** A name as code; `''` for none. */
export function code(value: unknown): string {
  const text = textOf(value).replaceAll('`', "'").replaceAll('\n', ' ')
  return text === '' ? '' : `\`${text}\``
}

/** Text as a quotation. */
export function quoted(text: string): string {
  return text === '' ? '' : text.replace(/^/gm, '> ')
}

/** A text that mentions nobody but these users. */
export function withoutMentions(text: string, allowedIds: ReadonlySet<unknown> = new Set()): string {
  return text.replace(/<(?=@!?([0-9]*))/g, (mark, id: string) => (allowedIds.has(id) ? mark : '<\u200b'))
}

/** The first code points of a text, with an ellipsis where there are more. */
export function excerpt(text: string, length: number): string {
  // No code point has more than two units.
  const points = [...text.slice(0, 2 * (length + 1))]
  return points.length <= length ? text : `${points.slice(0, length).join('').trimEnd()}…`
}

/** A text of at most so many code points: cut at the end of a line or word, with an ellipsis, and no code block left open. */
export function cutText(text: string, maxLength: number): string {
  const points = [...text]
  if (points.length <= maxLength) return text
  const start = points.slice(0, maxLength - reservedLength).join('')
  const end = Math.max(start.lastIndexOf('\n'), start.lastIndexOf(' '))
  const kept = (end > start.length - tailLength ? start.slice(0, end) : start).trimEnd()
  const fence = openFence(kept)
  return fence && fence.length <= longestFence ? `${kept}\n${fence}\n…` : `${kept}…`
}
