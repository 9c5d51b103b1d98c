import { createHash } from 'node:crypto'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { isDatabaseUnavailable } from '../../database/availability/unavailable.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import type { PushResult, PushTransport } from '../../push/transport.ts'
import {
  type ActiveSubscription,
  deleteEndedSubscription,
  findDueSubscription,
  isUnread,
  noteDelivery,
  noteFailure,
} from './sending-queries.ts'

/** What a push tells the service worker (docs/api.md#push). */
export type PushPayload =
  | {
      type: 'message'
      room_id: string
      house_id: string | null
      message_id: string
      author: string
      room: string | null
      house: string | null
      text: string
      count: number
    }
  | { type: 'close'; room_id: string; message_id: string }

/** A push about a room for a subscription. */
export type PushJob = {
  subscription: ActiveSubscription
  payload: PushPayload
  ttlSeconds: number
}

export type PushSender = {
  /** Sends a push when its turn comes, in place of one about the same room that still waits. */
  enqueue(job: PushJob): void
  /** Drops what waits, and breaks off what is being sent. */
  close(): Promise<void>
}

/**
 * Endpoints that have accepted their last push within two seconds have connections of their own: those of others, which
 * may not answer, do not delay them. Of each user one push is sent at a time on either way.
 */
const provenAtOnce = 24
const othersAtOnce = 8
const maxWaiting = 1_000
const provenWithinMs = 2_000

/** Sends pushes (docs/api.md#push). `report` gets errors that are not of a push service. */
export function createPushSender(
  db: Db,
  transport: PushTransport,
  onResult: (result: 'delivered' | 'gone' | 'failed' | 'dropped') => void,
  report: (error: unknown) => void,
): PushSender {
  const queueOfProven = createFairQueue({ atOnce: provenAtOnce, waiting: maxWaiting })
  const queueOfOthers = createFairQueue({ atOnce: othersAtOnce, waiting: maxWaiting })
  /** By subscription and room. */
  const waiting = new Map<string, PushJob>()
  const running = new Set<Promise<unknown>>()
  let isClosed = false

  async function send({ subscription, payload, ttlSeconds }: PushJob): Promise<void> {
    const { id, user_id } = subscription
    const { room_id, message_id } = payload
    if (isClosed) return
    // It may have ended while the push waited, and the message may have been deleted or read.
    const due = await findDueSubscription(db, id)
    if (!due) return
    if (payload.type === 'message' && !(await isUnread(db, { room_id, message_id, user_id }))) return
    const startedMs = performance.now()
    const result = await transport.send(due, {
      payload: JSON.stringify(payload),
      ttlSeconds,
      urgency: payload.type === 'message' ? 'high' : 'normal',
      topic: topicOf(due.auth, room_id),
    })
    if (isClosed) return
    const isProven = performance.now() - startedMs <= provenWithinMs
    await note(id, result, isProven, due.is_proven)
  }

  async function note(id: string, result: PushResult, isProven: boolean, wasProven: boolean): Promise<void> {
    onResult(typeof result === 'object' ? 'failed' : result)
    if (result === 'gone') await deleteEndedSubscription(db, id)
    else if (typeof result === 'object') await noteFailure(db, id, result.retryAfterMs)
    else if (!isProven || !wasProven) await noteDelivery(db, id, isProven)
  }

  return {
    enqueue(job) {
      const { subscription, payload } = job
      const key = `${subscription.id} ${payload.room_id}`
      const isQueued = waiting.has(key)
      waiting.set(key, job)
      if (isQueued) return
      const queue = subscription.is_proven ? queueOfProven : queueOfOthers
      const sendLatest = () => {
        const latest = waiting.get(key)!
        waiting.delete(key)
        const sending = send(latest)
        running.add(sending)
        return sending.finally(() => running.delete(sending))
      }
      queue(subscription.user_id, sendLatest).catch((error: unknown) => {
        const isRefused = error instanceof ApiError
        if (isRefused) waiting.delete(key)
        onResult('dropped')
        if (!isRefused && !isDatabaseUnavailable(error)) report(error)
      })
    },
    async close() {
      isClosed = true
      transport.close()
      await Promise.allSettled(running)
    },
  }
}

/** Says nothing about the room to the push service, which does not know the secret of the browser. */
function topicOf(auth: string, roomId: string): string {
  return createHash('sha256').update(`${auth} ${roomId}`).digest('base64url').slice(0, 32)
}
