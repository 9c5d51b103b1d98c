import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { connections, isReady } from '../connection.ts'
import { compareIds } from '../state/records.ts'
import type { Timeline } from '../state/state.ts'
import { store } from '../state/store.ts'
import { loadAround, loadNewest, loadUnread } from './loading.ts'
import { keepRoom } from './positions.ts'

/** One visit of a room, perhaps to see a message there. The same place visited again is another one. */
export type Visit = { message?: string | undefined; left?: string | undefined }

/** Where one was who left the end of a room. */
export const atEnd = 'end'

type Loaded = {
  timeline: Timeline | undefined
  /** Why the messages could not be loaded. */
  failure: unknown
  /** Where the visit leads to: a message, or the end. Who comes from another room goes on where they left this one. */
  goal: string | undefined
  /** Whether the message that the visit leads to is gone. */
  isGoalGone: boolean
  retry: () => void
}

/**
 * The timeline of a room, which is loaded where it is not known, from where one left off, or may have gaps after a lost
 * connection: then around the message that is being read, if that is not at the end.
 */
export function useTimeline(
  roomId: string,
  visit: Visit,
  reading: RefObject<() => string | undefined>,
): Loaded {
  const first = useRef(visit)
  const goal = (visit === first.current ? undefined : visit.left) ?? visit.message
  const timeline = store.timelines.value[roomId]
  // What may lack events is shown, and loaded again once all that the login brings has come.
  const isStale = timeline?.isStale === true && isReady.value
  const isWanted = timeline === undefined || isStale
  const found = useRef<Visit | undefined>(undefined)
  const gone = useSignal<Visit | undefined>(undefined)
  const failure = useSignal<unknown>(undefined)
  const tries = useSignal(0)
  if (timeline && (goal === atEnd ? !timeline.hasNewer : has(timeline, goal))) found.current = visit
  // Once it was shown, one may go on from there.
  const lacksGoal = goal !== undefined && found.current !== visit
  // Without a connection it is loaded once there is one.
  const attempt = `${connections.value} ${tries.value}`
  useEffect(() => keepRoom(roomId), [roomId])
  useEffect(() => {
    let isCurrent = true
    const load = async () => {
      const unread = timeline ? undefined : lastRead(roomId)
      const begin = () => (timeline ? reading.current?.() : unread)
      const at = lacksGoal ? goal : isWanted ? (begin() ?? atEnd) : undefined
      if (at === atEnd) await loadNewest(roomId)
      else if (at !== undefined && at === unread) await loadUnread(roomId, at)
      else if (at !== undefined) await loadAround(roomId, at)
      const isGone = lacksGoal && goal !== atEnd && !has(store.timelines.peek()[roomId], goal)
      if (isCurrent && lacksGoal) gone.value = isGone ? visit : undefined
    }
    failure.value = undefined
    load().catch((error: unknown) => {
      if (isCurrent) failure.value = error
    })
    return () => {
      isCurrent = false
    }
  }, [roomId, isWanted, isStale, goal && visit, attempt])
  return {
    timeline,
    failure: failure.value,
    goal,
    isGoalGone: goal !== undefined && gone.value === visit,
    retry: () => {
      tries.value += 1
    },
  }
}

function has(timeline: Timeline | undefined, messageId: string | undefined): boolean {
  return timeline?.messages.some(({ id }) => id === messageId) ?? false
}

/** The last message that was read, if there are others after it. */
function lastRead(roomId: string): string | undefined {
  const read = store.readStates.peek()[roomId]?.message_id ?? '0'
  const newest = store.rooms.peek()[roomId]?.last_message_id ?? '0'
  return read !== '0' && compareIds(newest, read) > 0 ? read : undefined
}
