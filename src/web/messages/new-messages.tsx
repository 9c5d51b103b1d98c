import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { normalizeMessage } from '../../client/messages.ts'
import { onEvent } from '../connection.ts'
import { compareIds } from '../state/records.ts'
import type { Message, Timeline } from '../state/state.ts'
import { store } from '../state/store.ts'
import { plural, t } from '../texts/texts.ts'
import { isBlocked } from './blocked.tsx'
import { asRead } from './references.ts'

/**
 * The first message that is new in a room: not read when the room was opened, or later when it came. Where it may be
 * among older ones, none. `markRead` leaves nothing new; `isSeen` says whether one sees what comes.
 */
export function useFirstNew(roomId: string, timeline: Timeline | undefined, isSeen: () => boolean) {
  const readUpTo = useSignal(store.readStates.peek()[roomId]?.message_id ?? '0')
  const { messages = [], hasOlder = false } = timeline ?? {}
  const first = useMemo(() => firstUnread(messages, readUpTo.value), [messages, readUpTo.value])
  const mayRead = useRef(false)
  mayRead.current = timeline !== undefined && first === -1
  useEffect(() => {
    return onEvent(({ e, d }) => {
      const isHere = e === 'MESSAGE_CREATE' && d.room_id === roomId
      if (isHere && mayRead.current && isSeen()) readUpTo.value = d.id
    })
  }, [roomId])
  const markRead = () => {
    readUpTo.value = messages.at(-1)?.id ?? readUpTo.value
  }
  return { firstNew: first === 0 && hasOlder ? undefined : messages[first]?.id, markRead }
}

/** Where the first message of somebody else is that was not read; -1 if all are. */
function firstUnread(messages: readonly Message[], readUpTo: string): number {
  return messages.findIndex(({ id, author_id }) => {
    return compareIds(id, readUpTo) > 0 && author_id !== store.me.peek()?.id
  })
}

type PillProps = {
  isShown: boolean
  messages: readonly Message[]
  /** Then it is not known how many are new. */
  hasNewer: boolean
  readUpTo: string
  act: () => void
}

/** Leads to the end, and says how much is new there. */
export function Pill({ isShown, messages, hasNewer, readUpTo, act }: PillProps) {
  if (!isShown) return null
  const count = hasNewer ? 0 : messages.filter(({ id }) => compareIds(id, readUpTo) > 0).length
  return (
    <button type="button" class="pill" onClick={act}>
      {count > 0 ? plural(t().newMessages, count) : t().jumpToPresent} <span aria-hidden="true">↓</span>
    </button>
  )
}

/** Reads out what others write while the room is open, and not what comes into sight by scrolling. */
export function Announcer({ roomId }: { roomId: string }) {
  const text = useSignal('')
  useEffect(() => {
    return onEvent(({ e, d }) => {
      if (e !== 'MESSAGE_CREATE' || d.room_id !== roomId || d.author_id === store.me.peek()?.id) return
      if (isBlocked(d.author_id)) return
      const { author, content, mentions, attachment } = normalizeMessage(d)
      text.value = `${author.name}: ${asRead(content, mentions) || attachment?.filename}`
    })
  }, [roomId])
  return (
    <p class="visually-hidden" role="status">
      {text}
    </p>
  )
}
