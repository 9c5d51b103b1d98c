import { effect, signal } from '@preact/signals'
import { connections } from './connection.ts'
import { place } from './router.ts'
import { token, tokenOwner } from './session.ts'
import { indexBy } from './state/records.ts'
import type { ById, House, ReadState, Room } from './state/state.ts'
import { change, store } from './state/store.ts'

const storageKey = 'hearth.last-visit'
/** Version of the stored form. Raise it when the form of houses or rooms in the state changes. */
const form = 1
/** Limit of the stored text, in characters. The storage of a browser has room for some millions. */
const mostKept = 1_000_000
/** Delay of the storing after a login, when the page is busy, in ms. */
const restMs = 2_000

type Part = { house: House | null; rooms: Room[]; readStates: ById<ReadState> }
type LastVisit = { form: number; userId: string; houseOrder: string[]; parts: Part[] }

/** Whether the houses and rooms of the last visit are shown, until the server has said which ones there are. */
export const isRestored = signal(false)

/**
 * Puts the houses and rooms of the last visit into the store, for the account of the token, and keeps those of this one.
 * Without a token, nothing is kept.
 */
export function startLastVisit(): void {
  effect(() => {
    if (token.value !== undefined) return
    localStorage.removeItem(storageKey)
    isRestored.value = false
  })
  restore()
  effect(() => {
    if (connections.value === 0) return
    const timer = setTimeout(keep, restMs)
    return () => clearTimeout(timer)
  })
  addEventListener('pagehide', keep)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') keep()
  })
}

function restore(): void {
  const kept = read()
  if (kept?.form !== form || kept.userId !== tokenOwner()) return
  const houses = kept.parts.flatMap(({ house }) => house ?? [])
  const rooms = kept.parts.flatMap((part) => part.rooms)
  change({
    houseOrder: kept.houseOrder,
    houses: indexBy(houses, ({ id }) => id),
    rooms: indexBy(rooms, ({ id }) => id),
    readStates: Object.assign({}, ...kept.parts.map((part) => part.readStates)),
  })
  isRestored.value = true
}

function read(): LastVisit | undefined {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

function keep(): void {
  const userId = tokenOwner()
  // Until the login is complete, the stored visit is better than the state.
  if (connections.peek() === 0 || userId === undefined || store.me.peek()?.id !== userId) return
  const houseOrder = store.houseOrder.peek()
  const visit: LastVisit = { form, userId, houseOrder, parts: fitting(parts(houseOrder)) }
  try {
    localStorage.setItem(storageKey, JSON.stringify(visit))
  } catch {
    // The storage is full.
    localStorage.removeItem(storageKey)
  }
}

/** The private rooms, then each house with its rooms, the present one first. */
function parts(houseOrder: readonly string[]): Part[] {
  const byHouse = Map.groupBy(Object.values(store.rooms.peek()), (room) => room.house_id)
  const at = place.peek()
  const present = 'houseId' in at ? at.houseId : ''
  const houses = [...new Set([present, ...houseOrder])].flatMap((id) => store.houses.peek()[id] ?? [])
  const partOf = (house: House | null, rooms: Room[] = []) => ({
    house,
    rooms,
    readStates: readStatesOf(rooms),
  })
  return [partOf(null, byHouse.get(null)), ...houses.map((house) => partOf(house, byHouse.get(house.id)))]
}

function readStatesOf(rooms: readonly Room[]): ById<ReadState> {
  const readStates = store.readStates.peek()
  return Object.fromEntries(rooms.flatMap(({ id }) => (readStates[id] ? [[id, readStates[id]]] : [])))
}

/** The parts that fit into the limit, in order. One that is too large is left out, and smaller ones after it are not. */
function fitting(all: readonly Part[]): Part[] {
  let left = mostKept
  return all.filter((part) => {
    const { length } = JSON.stringify(part)
    if (length > left) return false
    left -= length
    return true
  })
}
