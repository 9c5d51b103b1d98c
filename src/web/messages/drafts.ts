import { onLogOut } from '../session.ts'
import { store } from '../state/store.ts'

const prefix = 'hearth.draft.'

/** Drafts belong to a person: another one may log in on this device. */
function ownPrefix(): string {
  return `${prefix}${store.me.peek()?.id} `
}

/** A room has a text, what that replies to (`reply`), and a text for each message, by its id, whose edit is not saved. */
function keyOf(roomId: string, part: string): string {
  return `${ownPrefix()}${roomId}${part && ` ${part}`}`
}

/** The text that was begun in a room, or for a message there, and not sent; it outlives a reload. */
export function draftOf(roomId: string, part = ''): string {
  return localStorage.getItem(keyOf(roomId, part)) ?? ''
}

export function keepDraft(roomId: string, text: string, part = ''): void {
  if (text === '') localStorage.removeItem(keyOf(roomId, part))
  else localStorage.setItem(keyOf(roomId, part), text)
}

/** Drafts do not outlive a log-out. */
export function startDrafts(): void {
  onLogOut(() => {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix))
    for (const key of keys) localStorage.removeItem(key)
  })
}
