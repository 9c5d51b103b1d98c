import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../http/schemas/nullable.ts'

/** In seconds (docs/api.md#field-limits). */
export const minRetentionSeconds = 3_600
export const maxRetentionSeconds = 2_147_483_647

/** An age past which messages are deleted, in seconds. */
export const RetentionAge = Type.Integer({ minimum: minRetentionSeconds, maximum: maxRetentionSeconds })

/** docs/api.md#houses. Null: only the limit of the server holds. */
export const SetRetention = Type.Object({ max_age: Nullable(RetentionAge) }, { additionalProperties: false })
export type SetRetention = Static<typeof SetRetention>

/** docs/api.md#houses. Each age is in seconds, and null where messages stay. */
export const Retention = Type.Object({
  house_id: Type.String(),
  max_age: Nullable(Type.Integer()),
  server_max_age: Nullable(Type.Integer()),
  effective_max_age: Nullable(Type.Integer()),
})
export type Retention = Static<typeof Retention>
