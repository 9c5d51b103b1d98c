import { useEffect, useLayoutEffect } from 'preact/hooks'
import { rememberRoom } from '../houses/last-rooms.ts'
import { Members } from '../houses/members.tsx'

import type { Place } from '../places.ts'
import { reopenRoom } from '../rooms/closed-rooms.ts'
import { NoRoom } from '../rooms/no-room.tsx'
import { RoomMenu } from '../rooms/room-menu.tsx'
import { isGroup, namesIn, placeOf, roomName } from '../rooms/rooms.ts'

import { Icon } from '../shell/icon.tsx'
import { showsMembers, showsSearch, toggleMembers, toggleSearch } from '../shell/layout.ts'
import { lazy } from '../shell/lazy.tsx'
import { hasMouse, isNarrow } from '../shell/media.ts'
import { MenuItem } from '../shell/menu.tsx'
import { Page } from '../shell/page.tsx'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { Composer } from './composer.tsx'
import { focusComposer } from './composer-focus.ts'
import { LeftTexts } from './left-texts.tsx'
import { openPins } from './pins.tsx'
import { MessageTimeline } from './timeline.tsx'
import { Typing } from './typing.tsx'

const SearchPanel = lazy(() => import('./search/panel.tsx').then(({ SearchPanel }) => SearchPanel))

/** A conversation, with who can be met in it. */
export function RoomPage({ at }: { at: Extract<Place, { roomId: string }> }) {
  const { roomId } = at
  const room = store.rooms.value[roomId]
  const houseId = room?.house_id
  // At once: one may step back before effects run.
  useLayoutEffect(() => reopenRoom(roomId), [roomId])
  useEffect(() => {
    if (houseId !== undefined) rememberRoom(placeOf({ id: roomId, house_id: houseId }))
  }, [roomId, houseId])
  const isThere = room !== undefined
  useLayoutEffect(() => {
    if (isThere && hasMouse.peek()) focusComposer()
  }, [roomId, isThere])
  if (!room) {
    return (
      <NoRoom houseId={'houseId' in at ? at.houseId : undefined} roomId={roomId}>
        <LeftTexts />
      </NoRoom>
    )
  }

  const name = roomName(room)
  const head = (
    <>
      {room.house_id !== null && <span aria-hidden="true"># </span>}
      {name}
    </>
  )
  // A group with a name of its own says here who is in it.
  const topic = room.description || (isGroup(room) && room.name ? namesIn(room) : '')
  const actions = (
    <>
      {topic && <p class="topic muted cut">{topic}</p>}
      <button
        type="button"
        class="plain"
        aria-label={t().search}
        aria-expanded={showsSearch.value}
        onClick={toggleSearch}
      >
        <Icon name="search" />
      </button>
      {!isNarrow.value && (
        <button
          type="button"
          class="plain"
          aria-label={t().pinnedMessages}
          aria-haspopup="dialog"
          onClick={() => openPins(room)}
        >
          <Icon name="pin" />
        </button>
      )}
      {(!isNarrow.value || showsMembers.value) && (
        <button
          type="button"
          class="plain"
          aria-label={t().members}
          aria-expanded={showsMembers.value}
          onClick={toggleMembers}
        >
          <Icon name="members" />
        </button>
      )}
      <RoomMenu room={room}>
        {isNarrow.value && (
          <>
            <MenuItem action={() => openPins(room)}>{t().pinnedMessages}</MenuItem>
            <MenuItem action={toggleMembers}>{t().members}</MenuItem>
          </>
        )}
      </RoomMenu>
    </>
  )
  return (
    <div class="room">
      <Page key={roomId} title={head} actions={actions}>
        <MessageTimeline roomId={roomId} name={name} visit={at} />
        <Typing roomId={roomId} />
        <Composer room={room} name={name} />
      </Page>
      {showsSearch.value && <SearchPanel key={room.house_id ?? room.id} room={room} />}
      {showsMembers.value && <Members key={room.house_id ?? room.id} room={room} />}
    </div>
  )
}
