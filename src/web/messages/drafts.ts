import { signal } from '@preact/signals'
import { countUnsent, onLogOut } from '../session.ts'
import { store } from '../state/store.ts'

const prefix = 'hearth.draft.'

let owner: string | undefined

/** Drafts belong to a person, also just after the session has ended: another one may log in on this device. */
function ownPrefix(): string {
  owner = store.me.peek()?.id ?? owner
  return `${prefix}${owner} `
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

function ownKeys(): string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(ownPrefix()))
}

type Draft = { roomId: string; part: string; text: string }

/** All texts that this person has begun and not sent: in rooms, and for messages. */
export function listDrafts(): Draft[] {
  const all = ownKeys().map((key) => {
    const [roomId = '', part = ''] = key.slice(ownPrefix().length).split(' ')
    return { roomId, part, text: draftOf(roomId, part) }
  })
  return all.filter(({ part }) => part !== 'reply')
}

/** The room whose draft something else than its composer has changed. */
export const changedDraft = signal<string | undefined>(undefined)

/** Adds texts to what is begun in a room. */
export function addToDraft(roomId: string, texts: readonly string[]): void {
  keepDraft(roomId, [draftOf(roomId), ...texts].filter(Boolean).join('\n'))
  changedDraft.value = roomId
}

/** Drafts do not outlive a log-out. */
export function startDrafts(): void {
  countUnsent('drafts', () => listDrafts().length)
  onLogOut(() => {
    for (const key of ownKeys()) localStorage.removeItem(key)
  })
}
