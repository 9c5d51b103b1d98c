import { type Static, type TObject, type TString, Type } from '@sinclair/typebox'
import { BooleanText, IntegerText } from './documented.ts'

const Id = Type.String({ description: 'an id; any other text is an id that nobody has' })

/** Path parameters that are ids, by name. Text that is no id reaches the handler as `unknownId`. */
export function IdParams<Name extends string>(...names: Name[]): TObject<Record<Name, TString>> {
  const properties = Object.fromEntries(names.map((name) => [name, Id])) as Record<Name, TString>
  return Type.Object(properties)
}

/** The one path parameter `:id`. */
export const IdParam = IdParams('id')

/** The caller, in the house of the path's `:id`: the key of their membership. */
export function callerInHouse(request: { params: { id: string }; caller: { id: string } }) {
  return { house_id: request.params.id, user_id: request.caller.id }
}

/** The same, and the person whose turn the request takes. */
export function callerInTurn(request: { params: { id: string }; caller: { id: string; owner_id: string } }) {
  return { ...callerInHouse(request), owner_id: request.caller.owner_id }
}

/** An id in a query, or 0: where a page begins or ends, say. */
export const Place = Type.Optional(Type.String({ format: 'place', description: 'an id, or 0' }))

/** How many items a page has at most: 1 to 100. */
export const PageLimit = Type.Optional(
  IntegerText('^(?:[1-9][0-9]?|100)$', { minimum: 1, maximum: 100, default: 50 }),
)

/** Paging of message lists (docs/api.md#paging): at most one of before, after, around. */
export const PageQuery = Type.Object(
  {
    limit: PageLimit,
    before: Place,
    after: Place,
    around: Place,
  },
  { additionalProperties: false },
)
export type PageQuery = Static<typeof PageQuery>

/** How many items a page of another list has at most: 1 to 1,000. */
export function ListLimit(byDefault: number) {
  const inDocument = { minimum: 1, maximum: 1000, default: byDefault }
  return Type.Optional(IntegerText('^(?:[1-9][0-9]{0,2}|1000)$', inDocument))
}

export const defaultListLimit = 200

/** Paging of other lists that can grow, newest first. */
export const ListQuery = Type.Object(
  { before: Place, limit: ListLimit(defaultListLimit) },
  { additionalProperties: false },
)
export type ListQuery = Static<typeof ListQuery>

/** The query of routes where `extended` changes only the codes of errors. */
export const ExtendedErrors = Type.Object(
  {
    extended: Type.Optional(BooleanText({ description: '`true`: the more exact codes of extended clients' })),
  },
  { additionalProperties: false },
)
export type ExtendedErrors = Static<typeof ExtendedErrors>
