import type { Answer } from '../../../client/operations.ts'
import type { House } from '../../state/state.ts'
import { store } from '../../state/store.ts'
import { st } from '../../texts/settings.ts'
import { plural } from '../../texts/texts.ts'
import { ageText } from './ages.ts'
import { type AllowDeny, namesOfBits } from './permission-names.ts'

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
function nameOfId(house: House, id: string): string {
  return findName(house, id) ?? id
}

type Entry = Answer<'listAuditLog'>[number]
type Change = Entry['changes'][number]

/** A field that changed, before and after; what an entry is about as a whole has only one of them. */
export function changeText(house: House, action: string, change: Change): string {
  const { key, old, new: now } = change
  const name = keyText(house, key)
  if (isPermissions(key)) return `${name}: ${permissionsText(key, old, now)}`
  const shown = (value: unknown, omitted = 0) => {
    if (key === 'messages_max_age' && typeof value === 'number') return ageText(value)
    return shownValue(house, value) + omittedText(value, omitted)
  }
  const [before, after] = [shown(old, change.old_omitted), shown(now, change.new_omitted)]
  const hasOne = !action.endsWith('_updated') && (old === null) !== (now === null)
  if (hasOne) return `${name}: ${old === null ? after : before}`
  return `${name}: ${st().fromTo(before, after)}`
}

/** Overrides are named by their role or member. */
function keyText(house: House, key: string): string {
  const [, id] = /^permission_overrides\.(\d+)$/.exec(key) ?? []
  return id === undefined ? (st().auditKeys[key] ?? key) : nameOfId(house, id)
}

function isPermissions(key: string): boolean {
  return ['allow', 'deny', 'default_permissions'].includes(key) || key.includes('permission_override')
}

/** Which permissions were added and removed. */
function permissionsText(key: string, old: unknown, now: unknown): string {
  if (!key.includes('permission_override')) return bitsText(old, now)
  const [before, after] = [old, now] as (Partial<AllowDeny> | null)[]
  const parts = [
    [st().allow, bitsText(before?.allow, after?.allow)],
    [st().deny, bitsText(before?.deny, after?.deny)],
  ] as const
  const changed = parts.filter(([, text]) => text !== st().nothing)
  return changed.map(([name, text]) => `${name} ${text}`).join('; ') || st().nothing
}

function bitsText(old: unknown, now: unknown): string {
  const [before, after] = [Number(old ?? 0), Number(now ?? 0)]
  const added = namesOfBits(after & ~before).map((name) => `+ ${name}`)
  const removed = namesOfBits(before & ~after).map((name) => `− ${name}`)
  return [...added, ...removed].join(', ') || st().nothing
}

/** The text after a value that the log has cut. */
function omittedText(value: unknown, omitted: number): string {
  if (omitted === 0) return ''
  return Array.isArray(value) ? ` ${plural(st().omittedItems, omitted)}` : '…'
}

/** A value of a field that changed, for somebody who reads it. */
function shownValue(house: House, value: unknown): string {
  if (value === null || value === '') return st().nothing
  if (Array.isArray(value)) return value.map((each) => shownValue(house, each)).join(', ') || st().nothing
  return typeof value === 'string' ? nameOfId(house, value) : String(value)
}
