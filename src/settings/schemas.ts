import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../http/schemas/nullable.ts'

const Theme = Nullable(Type.Literal('dark'))
export const RoomOverride = Type.Object({
  notification_preference: Type.Integer({ minimum: 0, maximum: 2, description: '0 all, 1 mentions, 2 none' }),
})

/** docs/resources.md#other-resources. */
export const Settings = Type.Object({
  user_id: Type.String(),
  theme: Theme,
  room_overrides: Type.Record(Type.String(), RoomOverride),
  onboarded: Type.Boolean(),
  enable_desktop_notifications: Nullable(Type.Boolean()),
})
export type Settings = Static<typeof Settings>

export const EditSettings = Type.Object(
  {
    theme: Type.Optional(Theme),
    enable_desktop_notifications: Type.Optional(Nullable(Type.Boolean())),
    onboarded: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type EditSettings = Static<typeof EditSettings>

export const SetRoomOverride = Type.Object(RoomOverride.properties, { additionalProperties: false })
export type SetRoomOverride = Static<typeof SetRoomOverride>
export const SetRoomOverrideAnswer = Type.Object({ room_id: Type.String(), ...RoomOverride.properties })
export type SetRoomOverrideAnswer = Static<typeof SetRoomOverrideAnswer>
