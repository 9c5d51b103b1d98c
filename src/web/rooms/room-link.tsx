import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { type Place, pathOf } from '../places.ts'
import { Mark } from '../shell/mark.tsx'
import type { Room } from '../state/state.ts'
import { store } from '../state/store.ts'
import { isMuted } from './notification-preference.ts'
import { placeOf, roomName } from './rooms.ts'
import { unreadIn } from './unread.ts'

const nothing = { isUnread: false, mentions: 0 }

type RoomLinkProps = { room: Room; at: Place; before: ComponentChildren }

/** A room in a list of rooms, which shows the open one. */
export function RoomLink({ room, at, before }: RoomLinkProps) {
  const { id } = room
  const isHere = 'roomId' in at && at.roomId === id
  const link = useRef<HTMLAnchorElement>(null)
  // Once the room itself is shown.
  useEffect(() => {
    if (isHere) link.current?.scrollIntoView({ block: 'nearest' })
  }, [isHere])
  const unread = isMuted(store.settings.value, room) ? nothing : unreadIn(room, store.readStates.value[id])
  return (
    <li>
      <a
        ref={link}
        class="room-link"
        href={pathOf(placeOf(room))}
        aria-current={isHere ? 'page' : undefined}
        data-unread={unread.isUnread ? '' : undefined}
      >
        {before}
        <span class="cut">{roomName(room)}</span>
        <Mark unread={unread} />
      </a>
    </li>
  )
}
