import type { Virtualizer } from '@tanstack/virtual-core'
import { without } from '../state/records.ts'
import { change, onPersonLeft, store } from '../state/store.ts'

/** Where one was in a timeline. */
export type Position = {
  /** The rows that were in sight, and how far below the top. The first of them that is still there stays. */
  inSight: { key: string; top: number }[]
  /** How high rows were, by key. */
  sizes: Virtualizer<HTMLElement, HTMLElement>['itemSizeCache']
}

/** So many rooms are kept with their messages. */
const mostRooms = 10

/** By room, for those that were left somewhere else than at the end. */
const positions = new Map<string, Position>()
/** The one that was opened last comes last. */
const opened = new Set<string>()

onPersonLeft(() => {
  positions.clear()
  opened.clear()
})

/** Keeps the messages of a room, and forgets those of the room that was opened the longest time ago. */
export function keepRoom(roomId: string): void {
  opened.delete(roomId)
  opened.add(roomId)
  const [oldest] = opened
  if (opened.size <= mostRooms || oldest === undefined) return
  opened.delete(oldest)
  positions.delete(oldest)
  change({ timelines: without(store.timelines.peek(), oldest) })
}

/** Whether the messages of a room are kept. */
export function isKept(roomId: string): boolean {
  return opened.has(roomId)
}

/** Where one left a room, if not at its end. */
export function positionIn(roomId: string): Position | undefined {
  return positions.get(roomId)
}

export function keepPosition(roomId: string, position: Position | undefined): void {
  if (position) positions.set(roomId, position)
  else positions.delete(roomId)
}
