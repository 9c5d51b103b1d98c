import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../http/schemas/nullable.ts'
import { PageQuery, Place } from '../../http/schemas/params.ts'
import { CompactUser } from '../../users/schemas.ts'

/** A field that changed, with values as JSON has them, and how many items or characters they lack. */
export const AuditChange = Type.Object({
  key: Type.String(),
  old: Type.Unknown(),
  new: Type.Unknown(),
  old_omitted: Type.Optional(Type.Integer()),
  new_omitted: Type.Optional(Type.Integer()),
})

/** docs/resources.md#other-resources. */
export const AuditLogEntry = Type.Object({
  id: Type.String(),
  house_id: Type.String(),
  action: Type.String(),
  actor: CompactUser,
  target_id: Nullable(Type.String()),
  target_type: Nullable(Type.String()),
  changes: Type.Array(AuditChange),
  reason: Nullable(Type.String()),
  created_at: Type.String(),
})
export type AuditLogEntry = Static<typeof AuditLogEntry>

/** Paging, and the two filters: what was done, and who did it. */
export const AuditLogQuery = Type.Object(
  {
    ...PageQuery.properties,
    action: Type.Optional(Type.String({ pattern: '^[a-z_]{1,64}$' })),
    user_id: Place,
  },
  { additionalProperties: false },
)
export type AuditLogQuery = Static<typeof AuditLogQuery>
