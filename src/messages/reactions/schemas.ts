import { type Static, Type } from '@sinclair/typebox'

/** Whether a text is one emoji of Unicode (RGI). */
export function isEmoji(text: string): boolean {
  return /^\p{RGI_Emoji}$/v.test(text)
}

/** A reaction of the caller, set or removed: how many have reacted with the emoji now, and whether the caller has. */
export const Reaction = Type.Object({
  message_id: Type.String(),
  emoji: Type.String(),
  count: Type.Integer(),
  me: Type.Boolean(),
})
export type Reaction = Static<typeof Reaction>
