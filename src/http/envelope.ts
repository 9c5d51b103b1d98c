import { type TSchema, Type } from '@sinclair/typebox'

/** The success envelope around a data schema. */
export function Success<Data extends TSchema>(data: Data) {
  return Type.Object({ success: Type.Literal(true), data })
}

/** The failure envelope; `expires_at` (unix seconds) is only in a 429. */
const Failure = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.Object({ code: Type.String(), message: Type.String() }),
    expires_at: Type.Optional(Type.Integer()),
  },
  { $id: 'Failure' },
)

/** The failures that any route may answer. */
export const failures = { '4xx': Failure, '5xx': Failure }

/** Wraps the data of an answer. */
export function ok<Data>(data: Data): { success: true; data: Data } {
  return { success: true, data }
}
