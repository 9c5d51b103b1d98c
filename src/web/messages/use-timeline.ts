import { useSignal } from '@preact/signals'
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

type Loaded = {
  timeline: Timeline | undefined
  /** Why the messages could not be loaded. */
  failure: unknown
  /** Whether the message that the address names is gone. */
  isTargetGone: boolean
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
  const { message: target } = visit
  const timeline = store.timelines.value[roomId]
  const isWanted = timeline === undefined || timeline.isStale
  const found = useRef<Visit | undefined>(undefined)
  const gone = useSignal<Visit | undefined>(undefined)
  const failure = useSignal<unknown>(undefined)
  const tries = useSignal(0)
  if (timeline?.messages.some(({ id }) => id === target)) found.current = visit
  // Once it was shown, one may go on from there.
  const lacksTarget = target !== undefined && found.current !== visit
  // Without a connection it is loaded once there is one.
  const attempt = `${connections.value} ${tries.value}`
  useEffect(() => keepRoom(roomId), [roomId])
  useEffect(() => {
    let isCurrent = true
    const load = async () => {
      const begin = () => (timeline ? reading.current?.() : lastRead(roomId))
      const at = lacksTarget ? target : isWanted ? begin() : undefined
      if (at !== undefined) await loadAround(roomId, at)
      else if (isWanted) await loadNewest(roomId)
      if (isCurrent && lacksTarget) gone.value = has(roomId, target) ? undefined : visit
    }
    failure.value = undefined
    load().catch((error: unknown) => {
      if (isCurrent) failure.value = error
    })
    return () => {
      isCurrent = false
    }
  }, [roomId, isWanted, target && visit, attempt])
  return {
    timeline,
    failure: failure.value,
    isTargetGone: target !== undefined && gone.value === visit,
    retry: () => {
      tries.value += 1
    },
  }
}

function has(roomId: string, messageId: string): boolean {
  return store.timelines.peek()[roomId]?.messages.some(({ id }) => id === messageId) ?? false
}

/** The last message that was read, if there are others after it. */
function lastRead(roomId: string): string | undefined {
  const read = store.readStates.peek()[roomId]?.message_id ?? '0'
  const newest = store.rooms.peek()[roomId]?.last_message_id ?? '0'
  return read !== '0' && compareIds(newest, read) > 0 ? read : undefined
}
