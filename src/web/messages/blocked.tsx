import { signal } from '@preact/signals'
import { relationshipType } from '../state/relationships.ts'
import type { Message } from '../state/state.ts'
import { onPersonLeft, store } from '../state/store.ts'
import { t } from '../texts/texts.ts'

/** The messages of blocked people that one has unfolded. */
const unfolded = signal<ReadonlySet<string>>(new Set())

onPersonLeft(() => {
  unfolded.value = new Set()
})

/** Whether one has blocked somebody. */
export function isBlocked(userId: string): boolean {
  return store.relationships.value[userId]?.type === relationshipType.blocked
}

/** Whether a message is folded: somebody has written it whom one has blocked. */
export function isFolded({ id, author_id }: Pick<Message, 'id' | 'author_id'>): boolean {
  return isBlocked(author_id) && !unfolded.value.has(id)
}

export function unfold({ id }: Pick<Message, 'id'>): void {
  unfolded.value = new Set([...unfolded.peek(), id])
}

/** In the place of a folded message: that there is one, and the way to it. */
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
