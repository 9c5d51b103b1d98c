import {
  bold,
  excerpt,
  type Fields,
  isFields,
  joinParts,
  linked,
  plainLine,
  urlOf,
  withoutMentions,
} from './text-operations.ts'

/** Fields that a summary shows. */
const maxFields = 10
/** Fields that are looked at, as many may say nothing. */
const maxFieldsRead = 1_000
/** Code points of the text of a field. */
const maxLength = 200

const titles = ['title', 'subject', 'name', 'event', 'event_type', 'eventType', 'type', 'action', 'kind']
const addresses = ['url', 'html_url', 'web_url', 'link', 'href']

/** A body of a form that nobody here knows, in a few lines: a title, its address, and the first other fields. */
export function readOther(body: Fields): string {
  const title = titles.find((name) => plainLine(body[name]) !== '')
  const address = addresses.find((name) => urlOf(body[name]) !== '')
  const lines: string[] = []
  let read = 0
  for (const [name, value] of flat(body)) {
    read += 1
    if (lines.length === maxFields || read > maxFieldsRead) break
    if (name === title || name === address) continue
    const text = excerpt(typeof value === 'boolean' ? String(value) : plainLine(value), maxLength)
    if (text !== '') lines.push(`- ${plainLine(name)}: ${text}`)
  }
  const head = linked(bold(plainLine(title && body[title])), urlOf(address && body[address]))
  return withoutMentions(joinParts([head, ...lines]))
}

/** The fields of an object, and those of the objects in it, by names with a dot. */
function* flat(body: Fields): Generator<[string, unknown]> {
  // No list of all entries is made: there may be many.
  for (const name in body) {
    const value = body[name]
    if (!isFields(value)) yield [name, value]
    else for (const inner in value) yield [`${name}.${inner}`, value[inner]]
  }
}
