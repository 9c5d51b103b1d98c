import { signal } from '@preact/signals'
import type { Room } from '../state/state.ts'

const storageKey = 'hearth.closed-rooms'

/** The one-to-one rooms that are closed on this device, with the last message that they had then. */
const closed = signal<Readonly<Record<string, string>>>(read())

function read(): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Record<string, string>
  } catch {
    return {}
  }
}

/** Whether a room is not to be listed: a new message opens it again. */
export function isClosed({ id, last_message_id }: Room): boolean {
  return closed.value[id] === (last_message_id ?? '')
}

export function closeRoom({ id, last_message_id }: Room): void {
  keep({ ...closed.value, [id]: last_message_id ?? '' })
}

export function reopenRoom(id: string): void {
  const { [id]: _, ...rest } = closed.value
  if (id in closed.value) keep(rest)
}

function keep(next: Record<string, string>): void {
  closed.value = next
  localStorage.setItem(storageKey, JSON.stringify(next))
}
