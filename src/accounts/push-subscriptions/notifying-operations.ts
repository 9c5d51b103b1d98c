import { shareRuns } from '../../concurrency/shared-run.ts'
import { isDatabaseUnavailable } from '../../database/availability/unavailable.ts'
import type { Db } from '../../database/client.ts'
import type { Bus } from '../../events/bus.ts'
import type { HearthEvent } from '../../events/events.ts'
import { presenceOf } from '../../events/presence.ts'
import { isGreaterId } from '../../ids.ts'
import type { GatewayMessage } from '../../messages/schemas.ts'
import { canRead } from '../../rooms/permissions.ts'
import { findRoomAccess } from '../../rooms/queries.ts'
import { createDeferredPushes } from './deferred-operations.ts'
import {
  type ClosedRoom,
  listRecipients,
  type MessageToPush,
  notePushed,
  type RecipientRow,
  takeDeleted,
  takeRead,
} from './notifying-queries.ts'
import { messagePayload, secondsToKeep } from './payload-operations.ts'
import type { PushSender } from './sending-operations.ts'
import { listActiveSubscriptions } from './sending-queries.ts'

/** A message, and the users to ask about: those whom it mentions and, without `only`, all of its private room. */
type Pending = { message: GatewayMessage; only?: string }
type RoomOfUser = { user_id: string; room_id: string }
type Notified = { recipient: RecipientRow; message: GatewayMessage }

const maxBatchSize = 100
/** Of each kind; what comes while so many wait is not pushed. */
const maxPending = 2_000
const dayOfSeconds = 86_400

/**
 * Pushes messages of this process to people who are offline, and closes on their devices what they have read or what was
 * deleted (docs/api.md#push). Messages that wait when the process ends are not pushed. Returns how to stop.
 */
export function startNotifying(
  db: Db,
  bus: Pick<Bus, 'subscribe'>,
  sender: PushSender,
  report: (error: unknown) => void,
): () => Promise<void> {
  const deferred = createDeferredPushes()
  const pending: Pending[] = []
  const read: RoomOfUser[] = []
  const deleted: { room_id: string; message_id: string }[] = []
  let isStopped = false

  const work = shareRuns(async () => {
    while (!isStopped && pending.length + read.length + deleted.length > 0) {
      const batch = [pending, read, deleted].map((list) => list.splice(0, maxBatchSize))
      try {
        await runBatch(batch as [Pending[], RoomOfUser[], { room_id: string; message_id: string }[]])
      } catch (error) {
        if (!isDatabaseUnavailable(error)) report(error)
      }
    }
  })

  async function runBatch([messages, rooms, gone]: [Pending[], RoomOfUser[], typeof deleted]): Promise<void> {
    if (rooms.length > 0) await close(await takeRead(db, rooms))
    if (gone.length > 0) await close(await takeDeleted(db, gone))
    if (messages.length > 0) await notify(messages)
  }

  function add<Item>(list: Item[], item: Item): void {
    if (list.length < maxPending) list.push(item)
    void work()
  }

  const unsubscribe = bus.subscribe((event: HearthEvent) => {
    if (event.type === 'message_created' && event.message) {
      const { message } = event
      // Sending reads the room up to there.
      add(read, { user_id: message.author_id, room_id: message.room_id })
      if (concernsSomebody(message, deferred.add)) add(pending, { message })
    } else if (event.type === 'read_state_updated' && event.has_pushes) {
      add(read, { user_id: event.user_id, room_id: event.room_id })
    } else if (event.type === 'message_deleted') {
      add(deleted, { room_id: event.room_id, message_id: event.message_id })
    } else if (event.type === 'presence_changed' && event.presence === 'offline') {
      for (const message of deferred.take(event.user_id)) add(pending, { message, only: event.user_id })
    }
  })

  async function notify(all: readonly Pending[]): Promise<void> {
    const batch = all.filter(({ message }) => secondsToKeep(message, Date.now()) > 0)
    if (batch.length === 0) return
    const rows = await listRecipients(db, batch.map(toAsk))
    const concerned = rows.map(
      (recipient): Notified => ({ recipient, message: batch[recipient.place]!.message }),
    )
    const { online = [], offline = [] } = Object.groupBy(concerned, ({ recipient }) =>
      presenceOf(recipient.user_id),
    )
    for (const { recipient, message } of online) deferred.add(recipient.user_id, message)
    const readable = await Promise.all(offline.map(mayRead))
    const notified = offline.filter((_, index) => readable[index])
    if (notified.length === 0) return
    const newest = newestOfEach(notified)
    const pushed = await notePushed(
      db,
      [...newest.values()].map(({ last, count }) => toPushed(last, count)),
    )
    const subscriptions = await subscriptionsOf(pushed)
    for (const { user_id, room_id, message_id, count } of pushed) {
      const last = newest.get(`${user_id} ${room_id}`)!.last
      // A newer one is pushed by another process.
      if (last.message.id !== message_id) continue
      const payload = messagePayload(last.message, last.recipient, count)
      const ttlSeconds = secondsToKeep(last.message, Date.now())
      for (const subscription of subscriptions.get(user_id) ?? []) {
        sender.enqueue({ subscription, payload, ttlSeconds })
      }
    }
  }

  async function mayRead({ recipient, message }: Notified): Promise<boolean> {
    return canRead(await findRoomAccess(db, { room_id: message.room_id, user_id: recipient.user_id }))
  }

  async function close(rooms: readonly ClosedRoom[]): Promise<void> {
    const subscriptions = await subscriptionsOf(rooms)
    for (const { user_id, room_id, message_id } of rooms) {
      for (const subscription of subscriptions.get(user_id) ?? []) {
        const payload = { type: 'close', room_id, message_id } as const
        sender.enqueue({ subscription, payload, ttlSeconds: dayOfSeconds })
      }
    }
  }

  async function subscriptionsOf(rooms: readonly { user_id: string }[]) {
    if (rooms.length === 0) return new Map<string, never>()
    const userIds = [...new Set(rooms.map(({ user_id }) => user_id))]
    return Map.groupBy(await listActiveSubscriptions(db, userIds), ({ user_id }) => user_id)
  }

  return async () => {
    isStopped = true
    unsubscribe()
    await work()
    await sender.close()
  }
}

/** Whether a message may have to be pushed; those whom it mentions and who are online are put off. */
function concernsSomebody(
  { mentions, house_id, ...message }: GatewayMessage,
  defer: (userId: string, message: GatewayMessage) => void,
): boolean {
  if (house_id === null) return true
  let isOfflineMentioned = false
  for (const { id } of mentions) {
    if (presenceOf(id) === 'online') defer(id, { mentions, house_id, ...message })
    else isOfflineMentioned = true
  }
  return isOfflineMentioned
}

function toAsk({ message, only }: Pending): MessageToPush {
  const { id, room_id, author_id, house_id } = message
  const mentioned_ids = message.mentions.map((user) => user.id)
  const offline = mentioned_ids.filter((userId) => presenceOf(userId) === 'offline')
  return {
    id,
    room_id,
    author_id,
    mentioned_ids,
    user_ids: only === undefined ? (house_id === null ? [] : offline) : [only],
    asks_recipients: only === undefined && house_id === null,
  }
}

/** By user and room: the newest message, and how many there are. */
function newestOfEach(notified: readonly Notified[]) {
  const newest = new Map<string, { last: Notified; count: number }>()
  for (const one of notified) {
    const key = `${one.recipient.user_id} ${one.message.room_id}`
    const earlier = newest.get(key)
    const isNewest = !earlier || isGreaterId(one.message.id, earlier.last.message.id)
    newest.set(key, { last: isNewest ? one : earlier.last, count: (earlier?.count ?? 0) + 1 })
  }
  return newest
}

function toPushed({ recipient: { user_id }, message: { id, room_id } }: Notified, count: number) {
  return { user_id, room_id, message_id: id, count }
}
