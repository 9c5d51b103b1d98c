import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox'

/** The schema, or null. */
export function Nullable<Schema extends TSchema>(schema: Schema, options: SchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], options)
}
