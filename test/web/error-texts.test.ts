import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ApiError } from '../../src/client/errors.ts'
import { errorTable } from '../../src/errors.ts'
import { de } from '../../src/web/texts/de.ts'
import { en } from '../../src/web/texts/en.ts'
import { textOfError } from '../../src/web/texts/error-text.ts'

const root = join(import.meta.dirname, '../..')
const web = join(root, 'src/web')

type Schema = { $ref?: string; properties?: Record<string, Schema> }
type Operation = {
  operationId: string
  parameters?: { in: string; name: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
const document = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** The operations that the client calls. */
const called = new Set(
  readdirSync(web, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => [...readFileSync(join(web, file), 'utf8').matchAll(/'(\w+)'/g)])
    .map(([, name]) => name),
)

/** What nobody fills in: the client does. */
const ofTheClient = new Set([
  ...['limit', 'before', 'after', 'around', 'extended', 'return_to', 'key', 'nonce', 'exploding'],
  ...['reply_to_id', 'reply_mention', 'type', 'allow', 'deny', 'default_permissions', 'public', 'keys'],
  ...['endpoint', 'theme', 'enable_desktop_notifications', 'onboarded', 'notification_preference'],
  ...['disabled', 'admin', 'mfa_enabled', 'author_id', 'order', 'as_file'],
])

function fieldsOf({ parameters = [], requestBody }: Operation): string[] {
  const [media] = Object.values(requestBody?.content ?? {})
  const name = media?.schema.$ref?.split('/').at(-1)
  const schema = name === undefined ? media?.schema : document.components.schemas[name]
  const query = parameters.filter((each) => each.in === 'query').map((each) => each.name)
  return [...query, ...Object.keys(schema?.properties ?? {})]
}

const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
const fields = new Set(operations.filter(({ operationId }) => called.has(operationId)).flatMap(fieldsOf))

test.each(Object.entries({ en, de }))(
  '%s has a text for every code and every field that is filled in',
  (_, texts) => {
    expect(Object.keys(errorTable).filter((code) => !texts.errors[code])).toEqual([])
    expect(fields.size).toBeGreaterThan(30)
    const missing = [...fields].filter((name) => !ofTheClient.has(name) && !texts.fields[name])
    expect(missing).toEqual([])
    expect(Object.keys(texts.errors)).toEqual(Object.keys(en.errors))
    expect(Object.keys(texts.fields)).toEqual(Object.keys(en.fields))
  },
)

test.each([
  ['invalid_schema', 'Required fields (user_id) not met', en.fields.user_id],
  ['invalid_schema', 'Invalid fields (website)', en.fields.website],
  ['invalid_schema', 'Required fields (new) not met', en.fields.new],
  ['invalid_schema', 'Invalid fields (brand_new)', en.errors.invalid_schema],
  ['invalid_schema', 'JSON body is malformed', en.errors.invalid_schema],
  ['code_of_a_later_version', 'Something raw', en.failed],
])('shows no message of the API: %s, %s', (code, message, text) => {
  const error = new ApiError({ code, message, status: 400 })
  expect(text).toBeTruthy()
  expect(textOfError(en, 'en', error)).toBe(text)
})

test('a form has texts of its own, by code and by field', () => {
  const error = new ApiError({ code: 'invalid_schema', message: 'Invalid fields (website)', status: 400 })
  expect(textOfError(en, 'en', error, { website: 'a site' })).toBe('a site')
  const refusal = new ApiError({ code: 'no_permission', message: 'You do not', status: 400 })
  expect(textOfError(en, 'en', refusal, { no_permission: 'banned' })).toBe('banned')
})

test('a failure that is none of the server shows nothing of itself', () => {
  expect(textOfError(en, 'en', new TypeError('x is not a function'))).toBe(en.failed)
})
