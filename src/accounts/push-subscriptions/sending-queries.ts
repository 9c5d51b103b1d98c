import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { notExpired } from '../../messages/queries.ts'

/** A subscription that may be pushed to now. */
export type ActiveSubscription = { id: string; user_id: string; is_proven: boolean }

/** What a subscription is pushed to with, and how it has gone so far. */
export type DueSubscription = {
  endpoint: string
  p256dh: string
  auth: string
  is_proven: boolean
}

const isActive = sql<boolean>`(paused_until is null or paused_until <= now())`

/** Every time a push fails, the next one waits twice as long: from half a minute to six hours. */
const pauseSeconds = 30
const maxPauseSeconds = 21_600
/** Failures in a row that end a subscription: the last ones are of two days. */
const maxFailures = 18

/** The subscriptions of users that may be pushed to now. */
export function listActiveSubscriptions(db: Db, userIds: readonly string[]): Promise<ActiveSubscription[]> {
  return db
    .selectFrom('push_subscriptions')
    .select(['id', 'user_id', 'is_proven'])
    .where('user_id', '=', sql<string>`any(${userIds}::bigint[])`)
    .where(isActive)
    .execute()
}

/** A subscription, unless it has ended or may not be pushed to now. */
export function findDueSubscription(db: Db, id: string): Promise<DueSubscription | undefined> {
  return db
    .selectFrom('push_subscriptions')
    .select(['endpoint', 'p256dh', 'auth', 'is_proven'])
    .where('id', '=', id)
    .where(isActive)
    .executeTakeFirst()
}

/** Whether a message is still there, and not read by a user. */
export async function isUnread(
  db: Db,
  { room_id, message_id, user_id }: { room_id: string; message_id: string; user_id: string },
): Promise<boolean> {
  const messages = await sql`
    select 1 from messages where room_id = ${room_id} and id = ${message_id} and ${notExpired}`.execute(db)
  if (messages.rows.length === 0) return false
  const read = await sql`
    select 1 from read_states
    where user_id = ${user_id} and room_id = ${room_id} and message_id >= ${message_id}`.execute(db)
  return read.rows.length === 0
}

/** Notes that a push was accepted; `isProven`: within a short time. */
export async function noteDelivery(db: Db, id: string, isProven: boolean): Promise<void> {
  await db
    .updateTable('push_subscriptions')
    .set({ is_proven: isProven, failures: 0, paused_until: null })
    .where('id', '=', id)
    .execute()
}

/** Notes that a push failed: the subscription pauses, or ends if that was the last of many in a row. */
export async function noteFailure(db: Db, id: string, retryAfterMs: number): Promise<void> {
  await sql`
    with ended as (
      delete from push_subscriptions where id = ${id} and failures >= ${maxFailures - 1}
    )
    update push_subscriptions set failures = failures + 1, is_proven = false, paused_until = now() + greatest(
      least(${pauseSeconds} * 2 ^ failures, ${maxPauseSeconds}), ${retryAfterMs / 1000}::float8) * interval '1 second'
    where id = ${id} and failures < ${maxFailures - 1}`.execute(db)
}

/** Ends a subscription whose push service says that it has ended. */
export async function deleteEndedSubscription(db: Db, id: string): Promise<void> {
  await db.deleteFrom('push_subscriptions').where('id', '=', id).execute()
}
