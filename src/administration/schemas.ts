import { type Static, Type } from '@sinclair/typebox'
import { HouseSummary } from '../houses/schemas.ts'
import { Nullable } from '../http/schemas/nullable.ts'
import { PageLimit, Place } from '../http/schemas/params.ts'
import { AnyText } from '../http/schemas/strings.ts'
import { CompactUser, FullUser } from '../users/schemas.ts'

/** In code points (docs/api.md#field-limits). */
const maxAdminSearchLength = 64

/** A page of accounts or houses, by id, of those that fit `q`. */
export const AdminListQuery = Type.Object(
  {
    q: Type.Optional(AnyText({ maxLength: maxAdminSearchLength, description: 'an id, or part of a name' })),
    after: Place,
    limit: PageLimit,
  },
  { additionalProperties: false },
)
export type AdminListQuery = Static<typeof AdminListQuery>

/** Whether the caller administers the server (docs/api.md#administration). */
export const OwnAdministration = Type.Object({ admin: Type.Boolean() })
export type OwnAdministration = Static<typeof OwnAdministration>

/** A process that serves. */
export const ServerProcess = Type.Object({
  started_at: Type.String(),
  memory_bytes: Type.Integer(),
  sockets: Type.Integer(),
})

/** What the server has and uses (docs/api.md#administration). */
export const AdminOverview = Type.Object({
  version: Type.String(),
  users: Type.Integer(),
  houses: Type.Integer(),
  messages: Type.Integer(),
  storage_bytes: Type.Integer(),
  database_bytes: Type.Integer(),
  sockets: Type.Integer(),
  processes: Type.Array(ServerProcess),
})
export type AdminOverview = Static<typeof AdminOverview>

/** An account as admins see it; the private fields of `user` are real. */
export const AdministeredUser = Type.Object({
  user: FullUser,
  email: Type.String(),
  disabled: Type.Boolean(),
  admin: Type.Boolean(),
  created_at: Type.String(),
  last_seen_at: Nullable(Type.String()),
  storage_bytes: Type.Integer(),
})
export type AdministeredUser = Static<typeof AdministeredUser>

export const AdministerUser = Type.Object(
  {
    disabled: Type.Optional(Type.Boolean()),
    admin: Type.Optional(Type.Boolean()),
    mfa_enabled: Type.Optional(Type.Literal(false, { type: 'boolean' })),
  },
  { additionalProperties: false },
)
export type AdministerUser = Static<typeof AdministerUser>

export const AdministeredId = Type.Object({ id: Type.String() })
export type AdministeredId = Static<typeof AdministeredId>

/** A house as admins see it; messages are counted up to 100,000. */
export const AdministeredHouse = Type.Object({
  house: HouseSummary,
  owner: CompactUser,
  members: Type.Integer(),
  messages: Type.Integer(),
  storage_bytes: Type.Integer(),
})
export type AdministeredHouse = Static<typeof AdministeredHouse>

const AuditedValue = Nullable(Type.Union([Type.Boolean(), Type.String()]))

/** A field that was changed. */
export const ServerAuditChange = Type.Object({ key: Type.String(), old: AuditedValue, new: AuditedValue })
export type ServerAuditChange = Static<typeof ServerAuditChange>

/** What an admin or (a null `actor`) a command did. */
export const ServerAuditEntry = Type.Object({
  id: Type.String(),
  house_id: Type.Null(),
  action: Type.String(),
  actor: Nullable(CompactUser),
  target_id: Nullable(Type.String()),
  target_type: Nullable(Type.String()),
  changes: Type.Array(ServerAuditChange),
  reason: Type.Null(),
  created_at: Type.String(),
})
export type ServerAuditEntry = Static<typeof ServerAuditEntry>
