import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { documentPath, printDocument } from '../../scripts/generate/openapi.ts'
import { isShared, withSharedPattern } from '../../src/http/openapi/shared-patterns.ts'
import { NameLine } from '../../src/http/schemas/strings.ts'
import { app } from '../support/world.ts'

const redocly = join(import.meta.dirname, '../../node_modules/@redocly/cli/bin/cli.js')
/** Keeps the linter from sending anything. */
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

type Schema = { type?: string; pattern?: string; enum?: unknown[]; minimum?: number; maximum?: number }
type Parameter = { in: string; name: string; schema: Schema; example?: unknown }
type Operation = {
  operationId: string
  security: object[]
  parameters?: Parameter[]
}

const document: { paths: Record<string, Record<string, Operation>> } = JSON.parse(printDocument(app))
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
const query = operations.flatMap(({ operationId, parameters = [] }) =>
  parameters.filter((each) => each.in === 'query').map((each) => ({ operationId, ...each })),
)

/** Every object of the document that is no example. */
function* objectsOf(value: unknown): Generator<Schema> {
  if (typeof value !== 'object' || value === null) return
  yield value
  for (const [key, each] of Object.entries(value)) if (key !== 'example') yield* objectsOf(each)
}
const schemas = [...objectsOf(document)]
const patterns = [...new Set(schemas.map(({ pattern }) => pattern).filter((each) => each !== undefined))]

test('the document passes the recommended rules of redocly', async () => {
  const lint = ['lint', documentPath, '--extends=recommended', '--format=json']
  const { stdout } = await promisify(execFile)(process.execPath, [redocly, ...lint], { env }).catch((e) => e)
  const { problems } = JSON.parse(stdout.slice(stdout.indexOf('{\n'), stdout.lastIndexOf('}') + 1))
  const found = problems.map(({ ruleId, location }: { ruleId: string; location: { pointer: string }[] }) => {
    return `${ruleId} ${location[0]?.pointer}`
  })
  // The short path of docs/api.md#members is part of the contract; its method distinguishes it from that of webhooks.
  expect(found).toEqual(['no-ambiguous-paths #/paths/~1{house_id}~1members~1{user_id}'])
})

test('operations say whether they need a token', () => {
  const securityOf = (id: string) => operations.find(({ operationId }) => operationId === id)?.security
  expect(operations.filter(({ security }) => security === undefined)).toEqual([])
  expect(securityOf('sendMessage')).toEqual([{ token: [] }])
  expect(securityOf('register')).toEqual([])
  expect(securityOf('getUser')).toEqual([{ token: [] }, {}])
})

test('patterns have only what ECMAScript and Python share', () => {
  expect(patterns.length).toBeGreaterThan(5)
  expect(patterns.filter((pattern) => !isShared(pattern))).toEqual([])
  for (const pattern of patterns) expect(() => new RegExp(pattern, 'u'), pattern).not.toThrow()
})

test.each([
  ['\\p{Cc}'],
  ['[^]*'],
  ['[]'],
  ['\\w+'],
  ['[\\d]'],
  ['\\bx'],
  ['(?=x)'],
  ['(?!x)'],
  ['(?<=x)'],
  ['(?<name>x)'],
  ['(x)\\1'],
  ['\\u{1f600}'],
])('%s is not shared', (pattern) => {
  expect(isShared(pattern)).toBe(false)
})

test('a pattern that others cannot say is left out, and described', () => {
  const emoji = { type: 'string', pattern: '^\\p{RGI_Emoji}$', description: 'an emoji' }
  expect(withSharedPattern(emoji)).toEqual({
    type: 'string',
    description: 'an emoji; in ECMAScript it matches ^\\p{RGI_Emoji}$',
  })
  const name = { type: 'string', maxLength: 32, pattern: NameLine(32).pattern! }
  expect(withSharedPattern(name)).toEqual({
    type: 'string',
    maxLength: 32,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
    description: 'at least one visible character',
  })
})

test('limits are integers with bounds and a default', () => {
  const limits = query.filter(({ name }) => name === 'limit')
  expect(limits.length).toBeGreaterThan(10)
  for (const { schema, example } of limits) {
    const { type, minimum, maximum } = schema
    expect({ type, minimum }).toEqual({ type: 'integer', minimum: 1 })
    expect([100, 1000]).toContain(maximum)
    expect(schema).toHaveProperty('default')
    if (example !== undefined) expect(example).toBeTypeOf('number')
  }
})

test('numbers and booleans are not described as text', () => {
  const isOfDigits = (pattern: string) => ['7', '77'].some((digits) => new RegExp(pattern, 'u').test(digits))
  const isOfText = (pattern: string) => ['abc', '/app/'].some((text) => new RegExp(pattern, 'u').test(text))
  expect(patterns.filter((pattern) => isOfDigits(pattern) && !isOfText(pattern))).toEqual([])
  expect(schemas.filter((schema) => Array.isArray(schema.enum) && schema.enum.includes('true'))).toEqual([])
  expect(query.filter(({ schema }) => schema.type === undefined && !('anyOf' in schema))).toEqual([])
})
