import { signal } from '@preact/signals'

const storageKey = 'hearth.closed-categories'

/** The categories whose rooms are hidden on this device, by id. */
export const closedCategories = signal<ReadonlySet<string>>(read())

function read(): Set<string> {
  return new Set((localStorage.getItem(storageKey) ?? '').split(' ').filter(Boolean))
}

export function toggleCategory(id: string): void {
  const ids = read()
  if (!ids.delete(id)) ids.add(id)
  localStorage.setItem(storageKey, [...ids].join(' '))
  closedCategories.value = ids
}
