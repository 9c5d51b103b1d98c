import { effect } from '@preact/signals'
import { normalizeMessage } from '../../client/messages.ts'
import { onEvent } from '../connection.ts'
import { placeOf, roomName } from '../rooms/rooms.ts'
import { go, type Place, parsePath, pathOf, place } from '../router.ts'
import type { Message, State } from '../state/state.ts'
import { currentState, store } from '../state/store.ts'
import { isNotifiable, isRead } from './notifiable.ts'
import { asRead } from './references.ts'

/** Who has the room open on another device reads the message within this time, and needs no notification here. */
const otherDeviceMs = 1_000
const longestText = 200

/** By room: the notification, and the message that it is about. */
const shown = new Map<string, Shown & { messageId: string }>()

/** Shows notifications of the browser for the messages that one wants them for, until they are read. */
export function startNotifications(): void {
  onEvent(({ e, d }) => {
    if (e !== 'MESSAGE_CREATE' || !isAllowed()) return
    const message = normalizeMessage(d)
    if (isNotifiable(currentState(), message)) setTimeout(() => void notify(message), otherDeviceMs)
  })
  effect(() => closeRead(store.readStates.value))
  // The worker names the place of a notification that was clicked.
  navigator.serviceWorker?.addEventListener('message', ({ data }) => {
    if (typeof data?.path === 'string') go(parsePath(data.path))
  })
}

function closeRead(readStates: State['readStates']): void {
  for (const [roomId, { close, messageId }] of shown) {
    if (!isRead({ readStates }, roomId, messageId)) continue
    close()
    shown.delete(roomId)
  }
}

function isAllowed(): boolean {
  return 'Notification' in globalThis && Notification.permission === 'granted'
}

async function notify(message: Message): Promise<void> {
  const { id, room_id, author, content, attachment } = message
  const room = store.rooms.peek()[room_id]
  const at = place.peek()
  const isInSight = document.hasFocus() && 'roomId' in at && at.roomId === room_id
  if (!room || isInSight || isRead(currentState(), room_id, id)) return
  const title = room.house_id === null ? author.name : `${author.name} · #${roomName(room)}`
  const body = asRead(content).slice(0, longestText) || attachment?.filename || ''
  const options = { body, tag: room_id, icon: '/app/icon.svg' }
  const notification = await show(title, options, placeOf(room, id))
  if (!notification) return
  shown.set(room_id, { close: notification.close, messageId: id })
  closeRead(store.readStates.peek())
}

type Shown = { close: () => void }

/** Shows a notification that leads to a place: by the page, or by its worker where pages may not, as on phones. */
async function show(
  title: string,
  options: NotificationOptions & { tag: string },
  to: Place,
): Promise<Shown | undefined> {
  try {
    const notification = new Notification(title, options)
    notification.onclick = () => {
      focus()
      notification.close()
      go(to)
    }
    return { close: () => notification.close() }
  } catch {
    const registration = await navigator.serviceWorker?.getRegistration()
    await registration?.showNotification(title, { ...options, data: pathOf(to) })
    const close = async () => {
      for (const each of (await registration?.getNotifications({ tag: options.tag })) ?? []) each.close()
    }
    return registration && { close: () => void close() }
  }
}
