import { createECDH } from 'node:crypto'
import type { Caller } from '../../auth/queries.ts'
import type { Db } from '../../database/client.ts'
import { ApiError, limitReached } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { VapidKeys } from '../../push/transport.ts'
import { lockUsers } from '../../users/lock-queries.ts'
import {
  countOtherSubscriptions,
  deleteSubscription,
  findVapidKeys,
  insertVapidKeys,
  lockSession,
  upsertSubscription,
} from './queries.ts'
import type { PushSubscriptionId, SubscribeToPushes } from './schemas.ts'

/** Push subscriptions of a user (docs/api.md#counts-and-sizes). */
export const maxPushSubscriptions = 10

/** The keys of the installation, made by the process that asks for them first. */
export async function getVapidKeys(db: Db): Promise<VapidKeys> {
  const present = await findVapidKeys(db)
  if (present) return present
  const pair = createECDH('prime256v1')
  const public_key = pair.generateKeys('base64url')
  // A private key that begins with zeros is shorter.
  const private_key = Buffer.from(pair.getPrivateKey('hex').padStart(64, '0'), 'hex').toString('base64url')
  await insertVapidKeys(db, { public_key, private_key })
  return (await findVapidKeys(db))!
}

/**
 * Subscribes a browser to the pushes of the caller, until the login session ends (docs/api.md#push). Throws
 * `limit_reached`, and `no_auth` if the session ends meanwhile.
 */
export function subscribeToPushes(
  db: Db,
  caller: Caller,
  { endpoint, keys }: SubscribeToPushes,
): Promise<PushSubscriptionId> {
  const subscription = {
    id: newId(),
    user_id: caller.id,
    session_id: caller.session_id,
    // As the address that is pushed to is read.
    endpoint: new URL(endpoint).href,
    p256dh: keys.p256dh.replace(/=+$/, ''),
    auth: keys.auth.replace(/=+$/, ''),
  }
  return db.transaction().execute(async (trx) => {
    await lockUsers(trx, [caller.id])
    if (!(await lockSession(trx, caller.session_id))) throw new ApiError('no_auth')
    const others = await countOtherSubscriptions(trx, caller.id, subscription.endpoint)
    if (others >= maxPushSubscriptions) throw limitReached('push subscriptions')
    return { id: await upsertSubscription(trx, subscription) }
  })
}

/** Ends a subscription of the caller; one that has ended already is no failure, as its push service may have ended it. */
export async function unsubscribeFromPushes(db: Db, caller: Caller, id: string): Promise<PushSubscriptionId> {
  await deleteSubscription(db, caller.id, id)
  return { id }
}
