import { pushSubscription } from '../push-keys.ts'
import { app } from '../world.ts'

/** The app offers push from now on, with a key that is always the same; it pushes nothing. */
export async function offerPush(): Promise<undefined> {
  app.vapidKeys = { public_key: pushSubscription.keys.p256dh, private_key: '' }
}
