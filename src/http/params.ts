import { type Static, type TObject, type TString, Type } from '@sinclair/typebox'
import { fieldsInvalid } from '../errors.ts'
import { isId } from '../ids.ts'

const Id = Type.String({ description: 'an id; what is none is an id nobody has' })

/** Path parameters that are ids, by name. Text that is no id reaches the handler as an id nobody has. */
export function IdParams<Name extends string>(...names: Name[]): TObject<Record<Name, TString>> {
  const properties = Object.fromEntries(names.map((name) => [name, Id])) as Record<Name, TString>
  return Type.Object(properties)
}

/** The one path parameter `:id`. */
export const IdParam = IdParams('id')

/** Paging of message lists (PROTOCOL 0.6): at most one of before, after, around. */
export const PageQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.String({ pattern: '^(?:[1-9][0-9]?|100)$', description: '1 to 100, 50 without it' }),
    ),
    before: Type.Optional(Type.String({ pattern: '^[0-9]{1,19}$' })),
    after: Type.Optional(Type.String({ pattern: '^[0-9]{1,19}$' })),
    around: Type.Optional(Type.String({ pattern: '^[0-9]{1,19}$' })),
  },
  { additionalProperties: false },
)
export type PageQuery = Static<typeof PageQuery>

const defaultLimit = 50

/** A page that was asked for; at most one of the three ids is there. */
export type Page = { limit: number; before?: string; after?: string; around?: string }

/** The page a query asks for. Throws `invalid_schema` for an id that cannot be one (0 can), and for two at once. */
export function readPage({ limit, ...ids }: PageQuery): Page {
  const given = Object.entries(ids).filter(([, id]) => id !== undefined)
  const wrong = given.filter(([, id]) => id !== '0' && !isId(id)).map(([name]) => name)
  if (wrong.length > 0) throw fieldsInvalid(...wrong)
  if (given.length > 1) throw fieldsInvalid(...given.map(([name]) => name))
  return { limit: limit === undefined ? defaultLimit : Number(limit), ...Object.fromEntries(given) }
}

/** The owner of a picture, and its name. */
export const PictureParams = Type.Object({
  id: Id,
  file: Type.String({ description: '40 hex characters and `.webp`' }),
})
