import { computed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { loadServer, server } from '../server-information.ts'

/** Whether only admins of the server create houses, who have a button for it on their page; false until it is known. */
export const isCreationForAdmins = computed(() => server.value?.house_creation === 'admins')

/** The same for a page that shows it at once. */
export function useHouseCreationForAdmins(): boolean {
  useEffect(loadServer, [])
  return isCreationForAdmins.value
}
