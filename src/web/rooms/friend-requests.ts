import { computed } from '@preact/signals'
import { relationshipType } from '../state/relationships.ts'
import { store } from '../state/store.ts'

/** How many ask to be one's friend. */
export const friendRequests = computed(
  () =>
    Object.values(store.relationships.value).filter(({ type }) => type === relationshipType.incomingRequest)
      .length,
)
