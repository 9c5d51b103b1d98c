import { computed, signal } from '@preact/signals'
import { store } from '../state/store.ts'

const storageKey = 'hearth.house-order'

/** The order that was chosen on this device. */
const chosen = signal<readonly string[]>((localStorage.getItem(storageKey) ?? '').split(' ').filter(Boolean))

/** The houses in one's own order; those that have no place in it come last, in the order of joining. */
export const houseOrder = computed(() => {
  const present = new Set(store.houseOrder.value)
  const placed = chosen.value.filter((id) => present.delete(id))
  return [...placed, ...present]
})

/** Keeps an order of the houses on this device. */
export function chooseHouseOrder(ids: readonly string[]): void {
  // Those of another account on this device keep theirs.
  chosen.value = [...ids, ...chosen.value.filter((id) => !ids.includes(id))]
  localStorage.setItem(storageKey, chosen.value.join(' '))
}
