import { effect } from '@preact/signals'
import { startPlace } from '../houses/last-rooms.ts'
import type { Place } from '../places.ts'
import { roomName } from '../rooms/rooms.ts'
import { allUnread, privateUnread } from '../rooms/unread.ts'
import { place } from '../router.ts'
import { isNarrow } from '../shell/media.ts'
import { store } from '../state/store.ts'
import { isolated } from '../texts/isolation.ts'
import { t } from '../texts/texts.ts'

function titleOf(at: Place): string | undefined {
  const room = 'roomId' in at ? store.rooms.value[at.roomId] : undefined
  if (room) return roomName(room)
  switch (at.name) {
    case 'createAccount':
      return t().createAnAccount
    case 'forgottenPassword':
    case 'newPassword':
    case 'confirmEmail':
    case 'privateRooms':
    case 'friends':
    case 'mentions':
    case 'settings':
    case 'administration':
    case 'houseSettings':
      return t()[at.name]
    case 'house':
      return store.houses.value[at.houseId]?.name
    case 'invite':
      return t().joinHouse
    case 'unknown':
      return t().notFound
    default:
      return undefined
  }
}

/** Keeps the title and the icon of the page: where one is, how often one is mentioned, and whether one is written to. */
export function startTitle(): void {
  effect(() => {
    const at = place.value
    const title = titleOf(store.me.value && !isNarrow.value ? startPlace(at) : at)
    const { mentions } = allUnread.value
    const mark = mentions > 0 ? `(${mentions}) ` : ''
    document.title = `${mark}${title ? `${isolated(title)} · ` : ''}${t().appName}`
    const isMarked = mentions > 0 || privateUnread.value.isUnread
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon) icon.href = isMarked ? '/app/icon-mark.svg' : '/app/icon.svg'
  })
}
