import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../http/schemas/nullable.ts'

/** The most of each: characters of texts, things of one user or house, seconds, and bytes where the name says so. */
export const ServerLimits = Type.Record(Type.String(), Type.Integer())

/** What a server is, for whoever is not logged in (docs/api.md#service). */
export const ServerInformation = Type.Object({
  name: Type.String(),
  version: Type.String(),
  registration: Type.Union([Type.Literal('open'), Type.Literal('invite'), Type.Literal('closed')]),
  house_creation: Type.Union([Type.Literal('everybody'), Type.Literal('admins')]),
  mail: Type.Boolean(),
  oidc: Type.Boolean(),
  addresses: Type.Array(Type.String()),
  push_key: Nullable(Type.String()),
  limits: ServerLimits,
})
export type ServerInformation = Static<typeof ServerInformation>
