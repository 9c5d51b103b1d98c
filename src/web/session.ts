import { signal } from '@preact/signals'
import { Api } from '../client/api.ts'
import { ApiError } from '../client/errors.ts'

const tokenKey = 'hearth.token'
const tokenOwnerKey = 'hearth.token-owner'

/** The token of the account that is logged in on this device. */
export const token = signal<string | undefined>(undefined)

/** People wait so long for their turn after a 429; then they see that it was too much. */
const rateLimitWaitMs = 10_000

/** The server that the page comes from. */
export const api = new Api({ address: '', rateLimitWaitMs })

/** Takes the token from the last visit; another tab that logs in or out takes this one with it. */
export function startSession(): void {
  useToken(localStorage.getItem(tokenKey) ?? undefined)
  addEventListener('storage', (event) => {
    if (event.key === tokenKey) useToken(event.newValue ?? undefined)
  })
}

function useToken(next: string | undefined): void {
  api.token = next
  token.value = next
}

/** Remembers whose the token is, for a start without the server. */
export function rememberOwner(userId: string): void {
  if (token.peek() !== undefined) localStorage.setItem(tokenOwnerKey, `${userId} ${token.peek()}`)
}

/** Whose the token is, if that is known on this device. */
export function tokenOwner(): string | undefined {
  const [userId, ofToken] = localStorage.getItem(tokenOwnerKey)?.split(' ') ?? []
  return ofToken !== undefined && ofToken === token.value ? userId : undefined
}

/** Begins to be the account of the token. */
export function enter(next: string): void {
  localStorage.setItem(tokenKey, next)
  useToken(next)
}

const logOutListeners = new Set<() => void>()

/** Calls back when somebody logs out on this device, or deletes their account; not when the session ends elsewhere. */
export function onLogOut(listener: () => void): void {
  logOutListeners.add(listener)
}

/** The session has ended: this device has no account any more. */
export function leave(): void {
  localStorage.removeItem(tokenKey)
  localStorage.removeItem(tokenOwnerKey)
  useToken(undefined)
}

/** Ends the login session at the server too; without a connection only here. */
export async function logOut(): Promise<void> {
  await api.call('logOut').catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
  leaveForGood()
}

/** Leaves, and removes from this device what the person wrote. */
export function leaveForGood(): void {
  leave()
  for (const listener of logOutListeners) listener()
}
