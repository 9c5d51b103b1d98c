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
  sessionHasEnded.value = false
  useToken(next)
}

/** Whether the account was here until its session ended elsewhere. */
export const sessionHasEnded = signal(false)

/** What is not sent, by kind: drafts and files are deleted at a log-out, messages wait for the next login. */
export type Unsent = Record<'drafts' | 'files' | 'messages', number>
const counters = new Map<keyof Unsent, () => number>()

/** Says how much there is of a kind. */
export function countUnsent(kind: keyof Unsent, count: () => number): void {
  counters.set(kind, count)
}

export function unsent(): Unsent {
  const count = (kind: keyof Unsent) => counters.get(kind)?.() ?? 0
  return { drafts: count('drafts'), files: count('files'), messages: count('messages') }
}

const logOutListeners = new Set<() => void>()

/** Calls back when somebody logs out on this device, or deletes their account; not when the session ends elsewhere. */
export function onLogOut(listener: () => void): void {
  logOutListeners.add(listener)
}

/** The session has ended: this device has no account any more. */
function leave(): void {
  localStorage.removeItem(tokenKey)
  localStorage.removeItem(tokenOwnerKey)
  useToken(undefined)
}

/** The server knows the session no longer. */
export function endSession(): void {
  sessionHasEnded.value = token.peek() !== undefined
  leave()
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
  for (const listener of logOutListeners) listener()
  leave()
  // The gateway may have said so before the answer came.
  sessionHasEnded.value = false
}
