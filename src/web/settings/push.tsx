import { useSignal } from '@preact/signals'
import { api } from '../session.ts'
import { useAction } from '../shell/use-action.tsx'
import { useLoaded } from '../shell/use-loaded.ts'
import { store } from '../state/store.ts'
import { st } from '../texts/settings.ts'
import { chooseNotifications } from './notifications.ts'
import { keepPush, keptPush } from './push-storage.ts'

/** The server forgets a subscription that its push service refuses: so it is told once a day which one there is. */
const renewAfterMs = 24 * 60 * 60 * 1000

/** Whether this device shows notifications while no page is open; nothing where that cannot be. */
export function PushSettings() {
  const { value: key } = useLoaded(pushKey)
  const obstacle = useSignal<PushFailure | undefined>(undefined)
  const { act, notice } = useAction()
  if (key === undefined) return null
  const isOn = keptPush.value !== undefined
  const turn = () =>
    act(async () => {
      obstacle.value = undefined
      if (isOn) await turnPushOff()
      else obstacle.value = await turnPushOn(key)
    })
  return (
    <section>
      <h2>{st().push}</h2>
      <p class="muted">{isOn ? st().pushOn : st().pushOff}</p>
      {obstacle.value && (
        <p class="failure" role="alert">
          {obstacle.value === 'denied' ? st().pushDenied : st().pushFailed}
        </p>
      )}
      {notice}
      <button type="button" onClick={turn}>
        {isOn ? st().turnOff : st().turnOn}
      </button>
    </section>
  )
}

/** The key of the server, if it offers push and this browser can be pushed to. */
async function pushKey(): Promise<string | undefined> {
  if (!(await manager())) return undefined
  return (await api.call('getServer')).push_key ?? undefined
}

async function manager(): Promise<PushManager | undefined> {
  const isPossible = 'Notification' in globalThis && (await navigator.serviceWorker?.getRegistration())
  if (!isPossible) return undefined
  // A worker that is not active yet cannot be subscribed for.
  return (await navigator.serviceWorker.ready).pushManager
}

/** What keeps this device from being pushed to: the person has not allowed notifications, or its browser cannot subscribe. */
type PushFailure = 'denied' | 'failed'

/** Turns pushes to this device on. */
async function turnPushOn(key: string): Promise<PushFailure | undefined> {
  await chooseNotifications('on')
  if (Notification.permission !== 'granted') return 'denied'
  const subscription = await subscribe(key).catch(() => undefined)
  if (!subscription) return 'failed'
  await send(subscription).catch(async (error: unknown) => {
    // Otherwise the browser would be subscribed to pushes that never come.
    await subscription.unsubscribe()
    throw error
  })
}

/** Turns them off. */
async function turnPushOff(): Promise<void> {
  const id = keptPush.peek()?.id
  await (await (await manager())?.getSubscription())?.unsubscribe()
  keepPush(undefined)
  if (id !== undefined) await api.call('unsubscribeFromPushes', { params: { id } })
}

/** Sees to it that the server has the subscription of this browser, which its push service may have replaced. */
export async function renewPush(userId: string): Promise<void> {
  const kept = keptPush.peek()
  const key = await pushKey()
  if (kept?.userId !== userId || key === undefined || Notification.permission !== 'granted') {
    return turnPushOff()
  }
  const subscription = await subscribe(key)
  const isKnown = subscription.endpoint === kept.endpoint && Date.now() - kept.atMs < renewAfterMs
  if (isKnown) return
  await send(subscription)
  const { id } = kept
  // One for another endpoint, which no longer is of this browser.
  if (keptPush.peek()?.id !== id) await api.call('unsubscribeFromPushes', { params: { id } })
}

/** The subscription of this browser for the key of the server; one for another key ends. */
async function subscribe(key: string): Promise<PushSubscription> {
  const pushes = (await manager())!
  const present = await pushes.getSubscription()
  if (present && keyOf(present) === key) return present
  await present?.unsubscribe()
  return pushes.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) })
}

async function send(subscription: PushSubscription): Promise<void> {
  const { endpoint, keys } = subscription.toJSON()
  const { p256dh = '', auth = '' } = keys ?? {}
  const body = { endpoint: endpoint ?? '', keys: { p256dh, auth } }
  const { id } = await api.call('subscribeToPushes', { body })
  keepPush({ userId: store.me.peek()!.id, id, endpoint: body.endpoint, atMs: Date.now() })
}

function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0))
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function bytesOf(key: string): Uint8Array<ArrayBuffer> {
  const text = atob(key.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (each) => each.charCodeAt(0))
}
