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
/** Code points of the text of a field. */
const maxLength = 200

const titles = ['title', 'subject', 'name', 'event', 'event_type', 'eventType', 'type', 'action', 'kind']
const addresses = ['url', 'html_url', 'web_url', 'link', 'href']

/** A body of a form that nobody here knows, in a few lines: a title, its address, and the first other fields. */
export function readOther(body: Fields): string {
  const title = titles.find((name) => plainLine(body[name]) !== '')
  const address = addresses.find((name) => urlOf(body[name]) !== '')
  const isShown = ([name]: [string, unknown]) => name !== title && name !== address
  const lines = Object.entries(flat(body))
    .filter(isShown)
    .flatMap(([name, value]) => {
      const text = excerpt(typeof value === 'boolean' ? String(value) : plainLine(value), maxLength)
      return text === '' ? [] : [`- ${plainLine(name)}: ${text}`]
    })
  const head = linked(bold(plainLine(title && body[title])), urlOf(address && body[address]))
  return withoutMentions(joinParts([head, ...lines.slice(0, maxFields)]))
}

/** The fields of an object, and those of the objects in it, by names with a dot. */
function flat(body: Fields): Fields {
  const fields = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    if (!isFields(value)) return [[name, value]]
    return Object.entries(value).map(([inner, each]) => [`${name}.${inner}`, each])
  })
  return Object.fromEntries(fields)
}
