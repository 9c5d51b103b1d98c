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
/** How often two levels of objects more are looked into. */
const maxDepth = 2
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

/**
 * The fields of an object, and those of the objects in it, by names with a dot. Those of objects further inside follow:
 * they say less, mostly.
 */
function* flat(body: Fields, prefix = '', depth = 0): Generator<[string, unknown]> {
  const further: [string, Fields][] = []
  // No list of all entries is made: there may be many.
  for (const name in body) {
    const value = body[name]
    if (!isFields(value)) yield [`${prefix}${name}`, value]
    else {
      for (const inner in value) {
        const path = `${prefix}${name}.${inner}`
        const field = value[inner]
        if (!isFields(field)) yield [path, field]
        else if (further.length < maxFieldsRead) further.push([`${path}.`, field])
      }
    }
  }
  if (depth === maxDepth) return
  for (const [path, fields] of further) yield* flat(fields, path, depth + 1)
}
