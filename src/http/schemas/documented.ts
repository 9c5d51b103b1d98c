import { type TSchema, type TString, Type } from '@sinclair/typebox'

/** Not a key that validators or serializers see. */
const documented = Symbol('documented')

/** The same schema, described differently in the API document: a number in a query is text here, and a number there. */
export function documentedAs<Schema extends TSchema>(schema: Schema, inDocument: object): Schema {
  return { ...schema, [documented]: inDocument }
}

/** What the API document says in place of a schema, or undefined. */
export function documentOf(schema: object): object | undefined {
  return (schema as { [documented]?: object })[documented]
}

/** Text of digits: an integer in the API document. */
export function IntegerText(
  pattern: string,
  inDocument: { minimum: number; maximum?: number; default?: number },
): TString {
  return documentedAs(Type.String({ pattern }), { type: 'integer', ...inDocument })
}

/** `true` or `false` as text: a boolean in the API document. */
export function BooleanText(options: { description?: string } = {}) {
  const text = Type.Union([Type.Literal('true'), Type.Literal('false')], options)
  return documentedAs(text, { type: 'boolean', ...options })
}
