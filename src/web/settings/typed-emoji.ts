import { signal } from '@preact/signals'

const storageKey = 'hearth.typed-emoji'

export type TypedEmojiChoice = 'on' | 'off'

/** Whether typed emoticons and names of emoji become emoji on this device. */
export const typedEmojiChoice = signal<TypedEmojiChoice>(
  localStorage.getItem(storageKey) === 'off' ? 'off' : 'on',
)

export function chooseTypedEmoji(next: TypedEmojiChoice): void {
  localStorage.setItem(storageKey, next)
  typedEmojiChoice.value = next
}
