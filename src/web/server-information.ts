import { signal } from '@preact/signals'
import type { Answer } from '../client/operations.ts'
import { api } from './session.ts'

/** What the server says of itself; undefined until it is known. */
export const server = signal<Answer<'getServer'> | undefined>(undefined)
let isRequested = false

/** Requests it, once. */
export function loadServer(): void {
  if (isRequested) return
  isRequested = true
  api.call('getServer').then(
    (answer) => {
      server.value = answer
    },
    () => {
      isRequested = false
    },
  )
}
