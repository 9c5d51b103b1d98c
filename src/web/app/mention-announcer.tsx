import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { normalizeMessage } from '../../client/messages.ts'
import { onEvent } from '../connection.ts'
import { isAnnounced, notifiedText } from '../messages/notifiable.ts'
import { asRead } from '../messages/references.ts'
import { roomName } from '../rooms/rooms.ts'
import { place } from '../router.ts'
import type { Message } from '../state/state.ts'
import { currentState, store } from '../state/store.ts'
import { plural, t } from '../texts/texts.ts'

/** Messages that arrive within this time are announced together: a screen reader reads out only the last text. */
const gatherMs = 500

/** Announces mentions and private messages of rooms that are not open. */
export function MentionAnnouncer() {
  const text = useSignal('')
  useEffect(() => {
    let gathered: Message[] = []
    let timer: number | undefined
    const say = () => {
      text.value = announcementOf(gathered)
      gathered = []
      timer = undefined
    }
    const stop = onEvent(({ e, d }) => {
      if (e !== 'MESSAGE_CREATE' || isOpen(d.room_id)) return
      const message = normalizeMessage(d)
      if (!isAnnounced(currentState(), message)) return
      gathered.push(message)
      timer ??= setTimeout(say, gatherMs)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [])
  return (
    <p class="visually-hidden" role="status">
      {text}
    </p>
  )
}

/** Whether a room is the open one, whose messages `Announcer` reads out. */
function isOpen(roomId: string): boolean {
  const at = place.peek()
  return 'roomId' in at && at.roomId === roomId
}

function announcementOf(messages: readonly Message[]): string {
  const [message] = messages
  if (!message) return ''
  if (messages.length > 1) return plural(t().mentionsElsewhere, messages.length)
  const room = store.rooms.peek()[message.room_id]
  const { name } = message.author
  const what = room && room.house_id !== null ? t().mentionedIn(name, roomName(room)) : t().wroteToYou(name)
  return `${what} ${notifiedText(message, asRead(message.content, message.mentions))}`.trim()
}
