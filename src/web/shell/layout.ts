import { computed, signal } from '@preact/signals'
import { coverPage, isPageCovered } from '../router.ts'
import { isWide } from './media.ts'

const storageKey = 'hearth.members'

/** What was chosen on this device where there is room beside the conversation; shown without a choice. */
const besideConversation = signal(localStorage.getItem(storageKey) !== 'hidden')

const searchBeside = signal(false)
/** What covers the conversation if something does. */
const covering = signal<'members' | 'search'>('members')

/** Whether the search is shown: beside the conversation, whatever room it is, or instead of it until one goes on or back. */
export const showsSearch = computed(() =>
  isWide.value ? searchBeside.value : isPageCovered.value && covering.value === 'search',
)

/** Whether the members of the room are shown: beside the conversation, or above it until one goes on or back. */
export const showsMembers = computed(
  () => !showsSearch.value && (isWide.value ? besideConversation.value : isPageCovered.value),
)

export function toggleSearch(): void {
  if (showsSearch.peek()) closeSearch()
  else if (isWide.peek()) searchBeside.value = true
  else cover('search')
}

export function closeSearch(): void {
  searchBeside.value = false
  if (!isWide.peek()) coverPage(false)
}

function cover(what: typeof covering.value): void {
  covering.value = what
  if (!isPageCovered.peek()) coverPage(true)
}

export function toggleMembers(): void {
  if (!isWide.value) {
    if (showsMembers.value) coverPage(false)
    else cover('members')
    return
  }
  if (showsSearch.value) {
    searchBeside.value = false
    besideConversation.value = false
  }
  besideConversation.value = !besideConversation.value
  localStorage.setItem(storageKey, besideConversation.value ? 'shown' : 'hidden')
}
