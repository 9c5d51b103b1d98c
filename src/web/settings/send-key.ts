import { signal } from '@preact/signals'

const storageKey = 'hearth.send-key'

export type SendKey = 'enter' | 'ctrl-enter'

/** The key that sends a message, on this device. */
export const sendKey = signal<SendKey>(
  localStorage.getItem(storageKey) === 'ctrl-enter' ? 'ctrl-enter' : 'enter',
)

export function chooseSendKey(next: SendKey): void {
  localStorage.setItem(storageKey, next)
  sendKey.value = next
}

/** Whether a key press asks to send. */
export function isSend({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (key !== 'Enter' || shiftKey) return false
  return sendKey.value === 'enter' || ctrlKey || metaKey
}
