import { type Static, Type } from '@sinclair/typebox'

/** Whether a text is one emoji of Unicode (RGI). */
export function isEmoji(text: string): boolean {
  return /^\p{RGI_Emoji}$/v.test(text)
}

const selectors = /\ufe0f/g
/** A character that is an emoji only with a selector after it. A skin tone replaces the selector. */
const unqualified = /(?!\p{Emoji_Presentation}|\p{RI})\p{Emoji}(?!\p{EMod})/gu

/** One emoji with all its selectors (U+FE0F), some of which keyboards leave out; undefined if the text is no emoji. */
export function qualifiedEmoji(text: string): string | undefined {
  if (isEmoji(text)) return text
  const emoji = text.replaceAll(selectors, '').replaceAll(unqualified, '$&\ufe0f')
  return isEmoji(emoji) ? emoji : undefined
}

/** A reaction of the caller, set or removed: how many have reacted with the emoji now, and whether the caller has. */
export const Reaction = Type.Object({
  message_id: Type.String(),
  emoji: Type.String(),
  count: Type.Integer(),
  me: Type.Boolean(),
})
export type Reaction = Static<typeof Reaction>
