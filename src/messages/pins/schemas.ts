import { type Static, Type } from '@sinclair/typebox'

export const Pin = Type.Object({
  room_id: Type.String(),
  message_id: Type.String(),
  pinned: Type.Boolean(),
})
export type Pin = Static<typeof Pin>
