import { effect, signal } from '@preact/signals'
import type { GatewayEvent } from '../client/events.ts'
import { Gateway } from '../client/gateway.ts'
import { watchSocket } from './blocked-socket.ts'
import { api, endSession, token } from './session.ts'
import { change, dispatch, forget } from './state/store.ts'

/** The gateway refuses the token with this code. */
const invalidToken = 4003

/** Whether the connection is lost and has to be made again. */
export const isOffline = signal(false)
/** Whether the gateway is ready: all houses of the login, or all missed events, have been received. */
export const isReady = signal(false)
/** Grows with every login and resume: what waits for a connection goes on then. */
export const connections = signal(0)

const socket = watchSocket(async () => {
  await api.call('getServer', { rateLimitWaitMs: 0 })
})
/** Whether websockets fail although the server answers HTTP requests. */
export const isSocketBlocked = socket.isBlocked

let gateway: Gateway | undefined
/** Whose members were all requested. */
const requestedHouses = new Set<string>()
const listeners = new Set<(event: GatewayEvent) => void>()

/** Calls the listener with every event, before it changes the state. */
export function onEvent(listener: (event: GatewayEvent) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Connects while there is a token, and lets what the gateway sends change the state. */
export function startConnection(): void {
  effect(() => {
    const current = token.value
    gateway?.close()
    gateway = current === undefined ? undefined : connect(current)
    isOffline.value = false
    isReady.value = false
    socket.connected()
    if (current === undefined) forget()
  })
  const again = () => gateway?.reconnectNow()
  addEventListener('online', () => {
    endDoubt()
    again()
  })
  addEventListener('offline', () => void doubt())
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') again()
  })
}

/**
 * Shows the connection as lost as soon as the browser reports no network, until the server answers all the same: it may
 * run on this machine.
 */
async function doubt(): Promise<void> {
  if (gateway?.state.name !== 'ready') return
  isOffline.value = true
  const answered = await fetch('/health', { cache: 'no-store' }).then(
    () => true,
    () => false,
  )
  if (answered) endDoubt()
  else gateway?.reconnectNow()
}

/** Shows the connection as present again if it has survived the doubt. */
function endDoubt(): void {
  if (gateway?.state.name !== 'ready' || !isOffline.peek()) return
  isOffline.value = false
  connections.value += 1
}

function connect(current: string): Gateway {
  const made = new Gateway({ address: location.origin, token: current, compressed: true })
  made.onEvent((event) => {
    if (event.e === 'HOUSE_JOIN') requestedHouses.delete(event.d.id)
    for (const listener of listeners) listener(event)
    dispatch(event.e, event.d as never)
  })
  made.onState((state) => {
    isReady.value = state.name === 'ready'
    if (state.name === 'waiting') {
      isOffline.value = true
      void socket.ended(state)
      change({ recounted: {} })
      // Their answers may be lost.
      requestedHouses.clear()
    }
    if (state.name === 'ready') {
      isOffline.value = false
      socket.connected()
      connections.value += 1
    }
    if (state.name === 'closed' && state.code === invalidToken) endSession()
  })
  made.connect()
  return made
}

/** Asks whether the connection is still there: a request has found no server. */
export function checkConnection(): void {
  gateway?.reconnectNow()
}

/** Does not wait any longer where the connection is lost: the server has answered. */
export function serverIsBack(): void {
  if (isOffline.peek()) gateway?.reconnectNow()
}

/** Asks for these members of a house. */
export function requestMembers(houseId: string, userIds: string[]): void {
  gateway?.requestMembers(houseId, userIds)
}

/** Asks for all members of a house, once after each HOUSE_JOIN that has left some out: events keep them up to date. */
export function requestAllMembers(houseId: string): void {
  if (gateway?.state.name !== 'ready' || requestedHouses.has(houseId)) return
  if (gateway.hasAllMembers(houseId)) return
  requestedHouses.add(houseId)
  gateway.requestMembers(houseId)
}
