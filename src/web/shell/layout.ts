import { computed, signal } from '@preact/signals'
import { coverPage, isPageCovered } from '../router.ts'
import { isWide } from './media.ts'

const storageKey = 'hearth.members'

/** What was chosen on this device where there is room beside the conversation; shown without a choice. */
const besideConversation = signal(localStorage.getItem(storageKey) !== 'hidden')

/** Whether the members of the room are shown: beside the conversation, or above it until one goes on or back. */
export const showsMembers = computed(() => (isWide.value ? besideConversation.value : isPageCovered.value))

export function toggleMembers(): void {
  if (!isWide.value) {
    coverPage(!isPageCovered.value)
    return
  }
  besideConversation.value = !besideConversation.value
  localStorage.setItem(storageKey, besideConversation.value ? 'shown' : 'hidden')
}
