import { signal } from '@preact/signals'

const storageKey = 'hearth.push'

/** The subscription of this device that the server has: whose it is, its endpoint, and when it was sent last (ms). */
export type KeptPush = { userId: string; id: string; endpoint: string; atMs: number }

const text = localStorage.getItem(storageKey)
/** Undefined: this device is not pushed to. */
export const keptPush = signal<KeptPush | undefined>(text === null ? undefined : JSON.parse(text))

export function keepPush(kept: KeptPush | undefined): void {
  if (kept) localStorage.setItem(storageKey, JSON.stringify(kept))
  else localStorage.removeItem(storageKey)
  keptPush.value = kept
}
