import { effect } from '@preact/signals'
import type { GatewayEvent } from '../../client/events.ts'
import { normalizeMessage } from '../../client/messages.ts'
import { onEvent } from '../connection.ts'
import { type Place, pathOf } from '../places.ts'
import { placeOf, roomName } from '../rooms/rooms.ts'
import { go, parsePath, place } from '../router.ts'
import type { Message } from '../state/state.ts'
import { currentState, onPersonLeft, store } from '../state/store.ts'
import { isolated } from '../texts/isolation.ts'
import { isNotifiable, isRead, notifiedText } from './notifiable.ts'
import { asRead } from './references.ts'

/** Who has the room open on another device reads the message within this time, and needs no notification here. */
const otherDeviceMs = 1_000

/** By room: the notification of this page, and the message that it is about. */
const shown = new Map<string, { messageId: string; close: () => void }>()
/** Messages that are notified of in a moment, unless they are deleted before. */
const waiting = new Set<string>()
/** Whether the worker may show some, also those of an earlier page. */
let mayWorkerShow = true

/** Shows notifications of the browser for the messages that one wants them for, until they are read or the person logs out. */
export function startNotifications(): void {
  onEvent((event) => {
    closeOf(event)
    if (event.e !== 'MESSAGE_CREATE' || !isAllowed()) return
    const message = normalizeMessage(event.d)
    if (!isNotifiable(currentState(), message)) return
    waiting.add(message.id)
    setTimeout(() => waiting.delete(message.id) && void notify(message), otherDeviceMs)
  })
  effect(() => {
    if (Object.keys(store.readStates.value).length > 0) closeRead()
  })
  onPersonLeft(() => void closeWhere(() => true))
  // The worker names the place of a notification that was clicked.
  navigator.serviceWorker?.addEventListener('message', ({ data }) => {
    if (typeof data?.path === 'string') go(parsePath(data.path))
  })
}

/** What is no longer there needs no notification. */
function closeOf({ e, d }: GatewayEvent): void {
  const rooms = store.rooms.peek()
  if (e === 'MESSAGE_DELETE') waiting.delete(d.message_id)
  if (e === 'MESSAGE_DELETE') void closeWhere((_, messageId) => messageId === d.message_id)
  if (e === 'ROOM_DELETE') void closeWhere((roomId) => roomId === d.id)
  if (e === 'HOUSE_LEAVE') void closeWhere((roomId) => rooms[roomId]?.house_id === d.house_id)
}

function closeRead(): void {
  const readStates = store.readStates.peek()
  void closeWhere((roomId, messageId) => isRead({ readStates }, roomId, messageId))
}

async function closeWhere(isOver: (roomId: string, messageId: string) => boolean): Promise<void> {
  for (const [roomId, { close, messageId }] of shown) {
    if (!isOver(roomId, messageId)) continue
    close()
    shown.delete(roomId)
  }
  if (!mayWorkerShow || !isAllowed()) return
  mayWorkerShow = false
  const registration = await registered()
  for (const each of (await registration?.getNotifications()) ?? []) {
    const at = parsePath(String(each.data))
    if ('message' in at && at.message !== undefined && isOver(each.tag, at.message)) each.close()
    else mayWorkerShow = true
  }
}

function registered(): Promise<ServiceWorkerRegistration | undefined> {
  return navigator.serviceWorker?.getRegistration().catch(() => undefined) ?? Promise.resolve(undefined)
}

function isAllowed(): boolean {
  return 'Notification' in globalThis && Notification.permission === 'granted'
}

async function notify(message: Message): Promise<void> {
  const { id, room_id, author, content } = message
  const me = store.me.peek()?.id
  const room = store.rooms.peek()[room_id]
  const at = place.peek()
  const isInSight = document.hasFocus() && 'roomId' in at && at.roomId === room_id
  if (!room || isInSight || isRead(currentState(), room_id, id)) return
  const title =
    room.house_id === null ? author.name : `${isolated(author.name)} · #${isolated(roomName(room))}`
  const body = notifiedText(message, asRead(content))
  await show(id, title, { body, tag: room_id, icon: '/app/icon.svg' }, placeOf(room, id))
  // Meanwhile the message may have been read, or the person may have logged out.
  if (store.me.peek()?.id === me) closeRead()
  else await closeWhere(() => true)
}

/** Shows a notification that leads to a place: by the page, or by its worker where pages may not, as on phones. */
async function show(
  messageId: string,
  title: string,
  options: NotificationOptions & { tag: string },
  to: Place,
): Promise<void> {
  try {
    const notification = new Notification(title, options)
    notification.onclick = () => {
      focus()
      notification.close()
      go(to)
    }
    shown.set(options.tag, { messageId, close: () => notification.close() })
  } catch {
    const registration = await registered()
    await registration?.showNotification(title, { ...options, data: pathOf(to) })
    mayWorkerShow = true
  }
}
