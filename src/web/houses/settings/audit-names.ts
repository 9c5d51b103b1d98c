import type { House } from '../../state/state.ts'
import { store } from '../../state/store.ts'
import { st } from '../../texts/settings.ts'

/** What an id of an entry is called, where it is still there: a room, role, category or user. */
export function findName(house: House, id: string): string | undefined {
  const named = [
    store.rooms.value[id],
    store.members.value[house.id]?.[id]?.user,
    store.users.value[id],
    ...house.roles.filter((role) => role.id === id),
    ...house.entities.filter((entity) => entity.id === id),
  ]
  return named.find((each) => each?.name)?.name ?? undefined
}

/** The same, else the id. */
export function nameOfId(house: House, id: string): string {
  return findName(house, id) ?? id
}

/** A value of a field that changed, for somebody who reads it. */
export function shownValue(house: House, value: unknown): string {
  if (value === null || value === '') return st().nothing
  if (Array.isArray(value)) return value.map((each) => shownValue(house, each)).join(', ') || st().nothing
  if (typeof value === 'object') {
    const { allow, deny } = value as { allow?: number; deny?: number }
    return `${st().allow} ${allow}, ${st().deny} ${deny}`
  }
  return typeof value === 'string' ? nameOfId(house, value) : String(value)
}
