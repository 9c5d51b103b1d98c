import { signal } from '@preact/signals'
import { api } from '../session.ts'
import { onPersonLeft, store } from '../state/store.ts'

/** Whether one is an admin of the server; false until it is known. */
export const isAdmin = signal(false)
let isAsked = false

onPersonLeft(() => {
  isAdmin.value = false
  isAsked = false
})

/** Asks the server, once. */
export function askWhetherAdmin(): void {
  if (isAsked) return
  isAsked = true
  const me = store.me.peek()?.id
  api.call('getOwnAdministration').then(
    ({ admin }) => {
      isAdmin.value = admin && store.me.peek()?.id === me
    },
    () => {
      isAsked = false
    },
  )
}
