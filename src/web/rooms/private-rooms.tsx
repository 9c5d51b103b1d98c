import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { type Place, pathOf } from '../places.ts'
import { Icon } from '../shell/icon.tsx'
import { Mark } from '../shell/mark.tsx'
import { isNarrow } from '../shell/media.ts'
import { Picture } from '../shell/picture.tsx'
import { useAction } from '../shell/use-action.tsx'
import { useRovingFocus } from '../shell/use-roving-focus.ts'
import type { Room } from '../state/state.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { isClosed } from './closed-rooms.ts'
import { openCreateGroup } from './create-group.tsx'
import { friendRequests } from './friend-requests.ts'
import { loadOlderRooms, mayHaveOlderRooms } from './older-rooms.ts'
import { RoomLink } from './room-link.tsx'
import { isGroup, listPrivateRooms, othersIn } from './rooms.ts'

const nothingUnread = { isUnread: false, mentions: 0 }

/** Friends, mentions, and the private rooms. */
export function PrivateRooms({ at }: { at: Place }) {
  const list = useRef<HTMLDivElement>(null)
  useRovingFocus(list)
  const isFriends = at.name === 'friends' || (at.name === 'privateRooms' && !isNarrow.value)
  const isListed = (room: Room) => !isClosed(room) || ('roomId' in at && at.roomId === room.id)
  const rooms = listPrivateRooms().filter(isListed)
  return (
    <nav class="rooms" aria-label={t().rooms}>
      <header class="rooms-head">
        <h2 class="cut">{t().privateRooms}</h2>
        <button
          type="button"
          class="plain"
          aria-label={t().createGroup}
          aria-haspopup="dialog"
          onClick={openCreateGroup}
        >
          <Icon name="add" />
        </button>
      </header>
      <div ref={list} class="rooms-list">
        <ul>
          <li>
            <a
              class="room-link"
              href={pathOf({ name: 'friends' })}
              aria-current={isFriends ? 'page' : undefined}
            >
              <Icon name="members" />
              <span class="cut">{t().friends}</span>
              <Mark unread={nothingUnread} requests={friendRequests.value} />
            </a>
          </li>
          <li>
            <a
              class="room-link"
              href={pathOf({ name: 'mentions' })}
              aria-current={at.name === 'mentions' ? 'page' : undefined}
            >
              <span aria-hidden="true">@</span>
              <span class="cut">{t().mentions}</span>
            </a>
          </li>
        </ul>
        <ul>
          {rooms.map((room) => (
            <RoomLink key={room.id} room={room} at={at} before={<State room={room} />} />
          ))}
        </ul>
        {rooms.length === 0 && <p class="rooms-none muted">{t().noPrivateRooms}</p>}
        <OlderRooms />
      </div>
    </nav>
  )
}

/** A button for the private rooms that a login has not named. */
function OlderRooms() {
  const { act, notice } = useAction()
  const hasAll = useSignal(false)
  if (hasAll.value || !mayHaveOlderRooms()) return null
  const load = async () => {
    hasAll.value = (await loadOlderRooms()) === 0
  }
  return (
    <>
      <button type="button" onClick={() => act(load)}>
        {t().more}
      </button>
      {notice}
    </>
  )
}

/** Whether the other one is there; groups have a sign of their own. */
function State({ room }: { room: Room }) {
  const [other] = othersIn(room)
  if (isGroup(room) || !other) return <GroupSign room={room} />
  const user = store.users.value[other.id] ?? other
  const isOnline = other.id in store.online.value
  return (
    <span class="with-presence" data-online={isOnline ? '' : undefined}>
      <Picture of={user} kind="users" />
      <span class="visually-hidden">{isOnline ? t().online : t().offline}: </span>
    </span>
  )
}

/** The emoji of a group, unless other clients have given it the name of one that only they know. */
function GroupSign({ room: { emoji } }: { room: Room }) {
  const isShown = emoji && /\p{Extended_Pictographic}/u.test(emoji.data)
  return isShown ? <span aria-hidden="true">{emoji.data}</span> : <Icon name="members" />
}
