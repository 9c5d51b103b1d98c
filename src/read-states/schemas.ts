import { type Static, Type } from '@sinclair/typebox'

export const ReadState = Type.Object({ message_id: Type.String(), mention_count: Type.Integer() })
export type ReadState = Static<typeof ReadState>

/** By room id (docs/api.md#read-states). */
export const ReadStates = Type.Record(Type.String(), ReadState)
export type ReadStates = Static<typeof ReadStates>

export const Acked = Type.Object({
  room_id: Type.String(),
  message_id: Type.String(),
  mention_count: Type.Integer(),
})
export type Acked = Static<typeof Acked>
