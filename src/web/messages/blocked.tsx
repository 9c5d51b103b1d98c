import { signal } from '@preact/signals'
import { relationshipType } from '../state/relationships.ts'
import type { Message } from '../state/state.ts'
import { onPersonLeft, store } from '../state/store.ts'
import { t } from '../texts/texts.ts'

/** Ids of the messages of blocked people that the user has unfolded. */
const unfolded = signal<ReadonlySet<string>>(new Set())

onPersonLeft(() => {
  unfolded.value = new Set()
})

/** Whether the user has blocked somebody. */
export function isBlocked(userId: string): boolean {
  return store.relationships.value[userId]?.type === relationshipType.blocked
}

/** Whether a message is folded: its author is blocked, and the user has not unfolded it. */
export function isFolded({ id, author_id }: Pick<Message, 'id' | 'author_id'>): boolean {
  return isBlocked(author_id) && !unfolded.value.has(id)
}

export function unfold({ id }: Pick<Message, 'id'>): void {
  unfolded.value = new Set([...unfolded.peek(), id])
}

/** Stands for a folded message, with a button that shows it. */
export function Folded({ message }: { message: Pick<Message, 'id'> }) {
  return (
    <p class="muted">
      {t().blockedMessage}{' '}
      <button type="button" class="link" onClick={() => unfold(message)}>
        {t().show}
      </button>
    </p>
  )
}
