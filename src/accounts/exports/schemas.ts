import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../http/schemas/nullable.ts'
import { AnyText } from '../../http/schemas/strings.ts'

export const RequestExport = Type.Object({ password: AnyText() }, { additionalProperties: false })
export type RequestExport = Static<typeof RequestExport>

/** docs/resources.md#other-resources. */
export const AccountExport = Type.Object({
  state: Type.Union([Type.Literal('waiting'), Type.Literal('ready'), Type.Literal('none')]),
  url: Nullable(Type.String()),
  expires_at: Nullable(Type.String()),
  progress: Type.Integer({ minimum: 0, maximum: 100, description: 'percent' }),
})
export type AccountExport = Static<typeof AccountExport>
