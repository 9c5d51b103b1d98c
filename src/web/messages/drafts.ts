import { onLogOut } from '../session.ts'
import { store } from '../state/store.ts'

const prefix = 'hearth.draft.'

/** Drafts belong to a person: another one may log in on this device. */
function keyOf(roomId: string): string {
  return `${prefix}${store.me.peek()?.id} ${roomId}`
}

/** The text that was begun in a room and not sent; it outlives a reload. */
export function draftOf(roomId: string): string {
  return localStorage.getItem(keyOf(roomId)) ?? ''
}

export function keepDraft(roomId: string, text: string): void {
  if (text === '') localStorage.removeItem(keyOf(roomId))
  else localStorage.setItem(keyOf(roomId), text)
}

/** Drafts do not outlive a log-out. */
export function startDrafts(): void {
  onLogOut(() => {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix))
    for (const key of keys) localStorage.removeItem(key)
  })
}
