import { type Static, Type } from '@sinclair/typebox'

const Theme = Type.Union([Type.Literal('dark'), Type.Null()])
const NullableBoolean = Type.Union([Type.Boolean(), Type.Null()])
const RoomOverride = Type.Object({
  notification_preference: Type.Integer({ minimum: 0, maximum: 2, description: '0 all, 1 mentions, 2 none' }),
})

/** PROTOCOL 3.6. */
export const Settings = Type.Object({
  user_id: Type.String(),
  theme: Theme,
  room_overrides: Type.Record(Type.String(), RoomOverride),
  onboarded: Type.Boolean(),
  enable_desktop_notifications: NullableBoolean,
})
export type Settings = Static<typeof Settings>

export const EditSettings = Type.Object(
  {
    theme: Type.Optional(Theme),
    enable_desktop_notifications: Type.Optional(NullableBoolean),
    onboarded: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type EditSettings = Static<typeof EditSettings>

export const SetRoomOverride = Type.Object(RoomOverride.properties, { additionalProperties: false })
export const SetRoomOverrideAnswer = Type.Object({ room_id: Type.String(), ...RoomOverride.properties })
