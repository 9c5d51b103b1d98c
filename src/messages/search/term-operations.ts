import type { Having } from './queries.ts'

/** Words that a search wants or excludes, as they were written. */
export type Term = { text: string; isExcluded: boolean; isQuoted: boolean }

export const filterNames = ['from', 'in', 'before', 'after', 'has', 'is'] as const
type FilterName = (typeof filterNames)[number]
export type Filter = { name: FilterName; value: string }

/** A phrase, or a word between white space, with the dashes before it; or a filter, whose value may be quoted. */
const piece = new RegExp(
  `(?<!\\S)(?<name>${filterNames.join('|')}):(?:"(?<quoted>[^"]+)"|(?<bare>[^\\s"]+))(?!\\S)|(?<dashes>-*)(?:"(?<phrase>[^"]*)"?|(?<word>[^\\s"]+))`,
  'giu',
)

/** The words, phrases and possible filters of the text of a search (docs/api.md#search). */
export function parseSearch(q: string): { terms: Term[]; filters: Filter[] } {
  const terms: Term[] = []
  const filters: Filter[] = []
  for (const { 0: all, groups = {} } of q.matchAll(piece)) {
    const { name, quoted, bare, dashes, phrase, word } = groups
    if (name === undefined)
      terms.push({
        text: phrase ?? word ?? '',
        isExcluded: dashes !== '',
        isQuoted: phrase !== undefined,
      })
    else if (isFilter(name.toLowerCase(), quoted ?? bare ?? ''))
      filters.push({ name: name.toLowerCase() as FilterName, value: quoted ?? bare ?? '' })
    else terms.push({ text: all, isExcluded: false, isQuoted: false })
  }
  return { terms, filters }
}

const has: readonly Having[] = ['file', 'picture', 'link', 'mention']

/** Whether such a word is a filter; any other one is searched for as it is. */
function isFilter(name: string, value: string): boolean {
  switch (name) {
    case 'before':
    case 'after':
      return timeOf(value) !== undefined
    case 'has':
      return (has as readonly string[]).includes(value.toLowerCase())
    case 'is':
      return value.toLowerCase() === 'pinned'
    default:
      return /[^@#]/.test(value)
  }
}

const time = /^\d{4}(-\d{2}(-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?)?)?$/i

/**
 * When the year, month or day (in UTC) begins that a text names, or the time that it is, in ms since 1970; undefined if it
 * is none of these.
 */
export function timeOf(text: string): number | undefined {
  const ms = time.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
