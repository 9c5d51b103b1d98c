import { effect } from '@preact/signals'
import { token } from '../session.ts'
import { store } from '../state/store.ts'
import { keepPush, keptPush } from './push-storage.ts'

/** Renews the pushes of this device for who is logged in, and ends them once nobody is. */
export function startPush(): void {
  effect(() => {
    if (token.value === undefined && keptPush.peek()) void endPush()
  })
  effect(() => {
    const me = store.me.value?.id
    if (me === undefined || !keptPush.peek()) return
    // If it fails, the device is pushed to as before.
    void import('./push.tsx').then(({ renewPush }) => renewPush(me)).catch(() => {})
  })
}

/** Ends the subscription of the browser. At the server it has ended with the session. */
async function endPush(): Promise<void> {
  keepPush(undefined)
  const registration = await navigator.serviceWorker?.getRegistration()
  const subscription = await registration?.pushManager.getSubscription()
  await subscription?.unsubscribe()
}
