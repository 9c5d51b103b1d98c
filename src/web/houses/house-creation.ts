import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../session.ts'

/** Whether only admins of the server create houses; until the server has said so, it counts as one where all do. */
const isForAdmins = signal(false)
let isAsked = false

/** Whether the creation of houses is left to admins, who have a button for it on their page. */
export function useHouseCreationForAdmins(): boolean {
  useEffect(() => {
    if (isAsked) return
    isAsked = true
    api.call('getServer').then(
      ({ house_creation }) => {
        isForAdmins.value = house_creation === 'admins'
      },
      () => {
        isAsked = false
      },
    )
  }, [])
  return isForAdmins.value
}
