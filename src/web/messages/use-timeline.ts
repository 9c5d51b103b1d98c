import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { connections } from '../connection.ts'
import { compareIds } from '../state/records.ts'
import type { Timeline } from '../state/state.ts'
import { store } from '../state/store.ts'
import { loadAround, loadNewest } from './loading.ts'
import { keepRoom } from './positions.ts'

/** One visit of a room, perhaps to see a message there. The same place visited again is another one. */
export type Visit = { message?: string | undefined }

/**
 * The timeline of a room, which is loaded where it is not known, from where one left off, or may have gaps after a lost
 * connection: then around the message that is being read, if that is not at the end.
 */
export function useTimeline(
  roomId: string,
  visit: Visit,
  reading: RefObject<() => string | undefined>,
): Timeline | undefined {
  const { message: target } = visit
  const timeline = store.timelines.value[roomId]
  const isWanted = timeline === undefined || timeline.isStale
  const found = useRef<Visit | undefined>(undefined)
  if (timeline?.messages.some(({ id }) => id === target)) found.current = visit
  // Once it was shown, one may go on from there.
  const lacksTarget = target !== undefined && found.current !== visit
  // Without a connection it is loaded once there is one.
  const attempt = connections.value
  useEffect(() => keepRoom(roomId), [roomId])
  useEffect(() => {
    const begin = () => (timeline ? reading.current?.() : lastRead(roomId))
    const at = lacksTarget ? target : isWanted ? begin() : undefined
    if (at !== undefined) loadAround(roomId, at).catch(() => {})
    else if (isWanted) loadNewest(roomId).catch(() => {})
  }, [roomId, isWanted, lacksTarget && visit, attempt])
  return timeline
}

/** The last message that was read, if there are others after it. */
function lastRead(roomId: string): string | undefined {
  const read = store.readStates.peek()[roomId]?.message_id ?? '0'
  const newest = store.rooms.peek()[roomId]?.last_message_id ?? '0'
  return read !== '0' && compareIds(newest, read) > 0 ? read : undefined
}
