import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../session.ts'

/** Whether only admins of the server create houses, who have a button for it on their page; false until it is known. */
export const isCreationForAdmins = signal(false)
let isRequested = false

/** Requests it from the server, once. */
export function loadHouseCreation(): void {
  if (isRequested) return
  isRequested = true
  api.call('getServer').then(
    ({ house_creation }) => {
      isCreationForAdmins.value = house_creation === 'admins'
    },
    () => {
      isRequested = false
    },
  )
}

/** The same for a page that shows it at once. */
export function useHouseCreationForAdmins(): boolean {
  useEffect(loadHouseCreation, [])
  return isCreationForAdmins.value
}
