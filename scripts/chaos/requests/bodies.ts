import fc from 'fast-check'
import type { Schema } from './operations.ts'
import { brokenJson, hostileJson, hostileString, placeholder, spoiltText } from './values.ts'

/** A PNG of one pixel. */
const tinyPng =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Strings that suit a field of this name. */
const suiting: Record<string, string[]> = {
  icon: [tinyPng, `data:image/png;base64,${tinyPng}`, tinyPng.slice(4), `${tinyPng}=`],
  header: [tinyPng, `data:image/png;base64,${tinyPng}`],
  username: ['fresh_name', 'admin', 'Some.Body-1'],
  email: ['somebody@example.org'],
  login: ['somebody@example.org', placeholder('username')],
  password: ['correct horse', 'wrong'],
  current: ['correct horse', 'wrong'],
  new: ['correct horse'],
  user_id: ['member', 'stranger', 'friend', 'bot'].map(placeholder),
  bot_id: [placeholder('bot')],
  recipient: ['member', 'stranger', 'friend'].map(placeholder),
  parent_entity_id: [placeholder('entity')],
  resource_id: [placeholder('room')],
  color: ['#ff00aa', '00FF00'],
  website: ['https://example.org', ''],
  content: ['hello', `<@${placeholder('member')}>`],
}

/** A JSON text that the schema allows, or nearly. */
function suited(name: string, schema: Schema): fc.Arbitrary<string> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => suited(name, each)))
  if (schema.enum) return fc.constantFrom(...schema.enum.map((each) => JSON.stringify(each)))
  switch (schema.type) {
    case 'string':
      return fc.constantFrom(...(suiting[name] ?? ['x', 'some text'])).map((text) => JSON.stringify(text))
    case 'integer':
    case 'number':
      return fc
        .integer({ min: schema.minimum ?? -1, max: Math.min(schema.maximum ?? 700_000, 2 ** 31) })
        .map(String)
    case 'boolean':
      return fc.constantFrom('true', 'false')
    case 'null':
      return fc.constant('null')
    case 'array':
      return fc
        .array(suited(name === 'recipients' ? 'recipient' : name, schema.items ?? {}), { maxLength: 3 })
        .map((items) => `[${items}]`)
    case 'object':
      return fieldsOf(schema, suited).map(render)
    default:
      return hostileJson
  }
}

type Fields = [string, string][]

function fieldsOf(
  schema: Schema,
  jsonOf: (name: string, schema: Schema) => fc.Arbitrary<string>,
): fc.Arbitrary<Fields> {
  const properties = Object.entries(schema.properties ?? {})
  const values = Object.fromEntries(properties.map(([name, each]) => [name, jsonOf(name, each)]))
  const keys = (schema.required ?? []) as never[]
  return fc.record(values, { requiredKeys: keys }).map((fields) => Object.entries(fields) as Fields)
}

const render = (fields: Fields) =>
  `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`

const mostlySuited = (name: string, schema: Schema) =>
  fc.oneof({ weight: 8, arbitrary: suited(name, schema) }, { weight: 1, arbitrary: hostileJson })

/** Bodies that the operation may take or not. */
export function anyBody(schema: Schema): fc.Arbitrary<string> {
  const names = Object.keys(schema.properties ?? {})
  const strange = fc.constantFrom('__proto__', 'constructor', 'toString', 'x', '', '\u0000', 'name', ...names)
  const some = fc.array(fc.tuple(strange, hostileJson), { maxLength: 2 })
  const more = fc.oneof({ weight: 3, arbitrary: fc.constant<Fields>([]) }, { weight: 1, arbitrary: some })
  const fields = fc.tuple(fieldsOf(schema, mostlySuited), more).map((lists) => render(lists.flat()))
  return fc.oneof(
    { weight: 20, arbitrary: fields },
    { weight: 2, arbitrary: fc.constantFrom('', ' ', '{}', 'null', '\ufeff{}') },
    { weight: 1, arbitrary: brokenJson },
  )
}

/** Bodies that no operation of this schema takes: broken ones, and those with a field of another type than it has. */
export function refusedBody(schema: Schema): fc.Arbitrary<string> {
  const properties = Object.entries(schema.properties ?? {})
  const wrong = properties.flatMap(([name, each]) => {
    const values = wrongValues(each)
    if (values.length === 0) return []
    const isText = (each.anyOf ?? [each]).some(({ type }) => type === 'string')
    const value = isText ? fc.oneof(fc.constantFrom(...values), spoiltText) : fc.constantFrom(...values)
    return value.map((text): Fields => [[name, text]])
  })
  const strange = fc.array(fc.tuple(fc.constantFrom('__proto__', 'x', 'constructor'), hostileJson), {
    maxLength: 2,
  })
  if (wrong.length === 0) return brokenJson
  // Of equal keys the last wins, so the wrong value comes last.
  const spoilt = fc
    .tuple(strange, fieldsOf(schema, mostlySuited), fc.oneof(...wrong))
    .map((lists) => render(lists.flat()))
  return fc.oneof({ weight: 4, arbitrary: spoilt }, { weight: 1, arbitrary: brokenJson })
}

/** JSON texts of a type that the schema does not have. */
function wrongValues(schema: Schema): string[] {
  const types = (schema.anyOf ?? [schema]).map((each) => each.type)
  if (types.includes(undefined)) return []
  const byType = {
    string: '"\\ud800"',
    integer: '1.5',
    boolean: 'true',
    null: 'null',
    array: '[[5]]',
    object: '{"x":1}',
  }
  const others = Object.entries(byType).flatMap(([type, text]) => (types.includes(type) ? [] : text))
  const extremes = types.includes('string') ? [JSON.stringify('a\u0000b'), JSON.stringify('x\ud800')] : []
  return [...others, ...extremes, '[{"__proto__":1}]', '1e400']
}

/** A part of a multipart body: the head as it goes out, and what follows it. */
const part = fc
  .tuple(
    fc.oneof(
      fc.constantFrom('file', 'content', 'nonce', 'exploding', 'exploding_age', '__proto__', '', 'x'),
      hostileString,
    ),
    fc.option(
      fc.oneof(
        fc.constantFrom('a.txt', '', '../../x', 'a\\b', 'x.svg', 'a'.repeat(400), '\u202egpj.exe'),
        hostileString,
      ),
    ),
    fc.option(fc.constantFrom('text/plain', 'image/png', 'multipart/mixed; boundary=x', 'a'.repeat(500), '')),
    fc.oneof(fc.constantFrom('', 'x', 'true', '60', '5e0', '{}', '\u0000'), hostileString),
    fc.constantFrom(
      '',
      'Content-Transfer-Encoding: base64\r\n',
      'Content-Length: 5\r\n',
      'X: y\r\n',
      ': \r\n',
    ),
  )
  .map(([name, filename, type, value, more]) => {
    const file = filename === null ? '' : `; filename="${filename}"`
    const typed = type === null ? '' : `Content-Type: ${type}\r\n`
    return `Content-Disposition: form-data; name="${name}"${file}\r\n${typed}${more}\r\n${value}`
  })

/** Multipart bodies with the boundary `fire`, most of them broken somewhere. */
export const multipartBody = fc
  .tuple(
    fc.array(part, { maxLength: 4 }),
    fc.constantFrom('--fire--\r\n', '--fire\r\n', '', '--fire-', '--fire--'),
    fc.constantFrom('', 'preamble\r\n', '\r\n'),
  )
  .map(([parts, end, preamble]) => preamble + parts.map((each) => `--fire\r\n${each}\r\n`).join('') + end)
