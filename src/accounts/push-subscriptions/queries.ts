import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

type VapidKeys = { public_key: string; private_key: string }

/** The keys of the installation: those given, unless it has some already. */
export async function insertVapidKeys(db: Db, keys: VapidKeys): Promise<void> {
  await db
    .insertInto('vapid_keys')
    .values(keys)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The keys of the installation, or undefined. */
export function findVapidKeys(db: Db): Promise<VapidKeys | undefined> {
  return db.selectFrom('vapid_keys').select(['public_key', 'private_key']).executeTakeFirst()
}

/** Locks a login session against its end. Returns whether there is one. */
export async function lockSession(trx: Db, id: string): Promise<boolean> {
  const row = await trx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  return row !== undefined
}

/** How many subscriptions a user has, without one to this endpoint. */
export async function countOtherSubscriptions(db: Db, userId: string, endpoint: string): Promise<number> {
  const { count } = await db
    .selectFrom('push_subscriptions')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('user_id', '=', userId)
    .where('endpoint', '!=', endpoint)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export type NewSubscription = {
  id: string
  user_id: string
  session_id: string
  endpoint: string
  p256dh: string
  auth: string
}

/** Writes a subscription, in place of one to the same endpoint, which keeps its id unless it was another user's. */
export async function upsertSubscription(trx: Db, subscription: NewSubscription): Promise<string> {
  const { id, user_id, session_id, endpoint, p256dh, auth } = subscription
  const { rows } = await sql<{ id: string }>`
    insert into push_subscriptions as present (id, user_id, session_id, endpoint, p256dh, auth)
    values (${id}, ${user_id}, ${session_id}, ${endpoint}, ${p256dh}, ${auth})
    on conflict (endpoint) do update set
      id = case when present.user_id = excluded.user_id then present.id else excluded.id end,
      user_id = excluded.user_id, session_id = excluded.session_id, p256dh = excluded.p256dh, auth = excluded.auth,
      created_at = now(), is_proven = false, failures = 0, paused_until = null
    returning id`.execute(trx)
  return rows[0]!.id
}

/** Deletes a subscription of a user, if there is one. */
export async function deleteSubscription(db: Db, userId: string, id: string): Promise<void> {
  await db.deleteFrom('push_subscriptions').where('user_id', '=', userId).where('id', '=', id).execute()
}
