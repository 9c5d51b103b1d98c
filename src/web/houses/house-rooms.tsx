import { useRef } from 'preact/hooks'
import { hasBits, permission } from '../../houses/permissions.ts'
import type { Place } from '../places.ts'
import { closedCategories, toggleCategory } from '../rooms/closed-categories.ts'
import { bitsInHouse } from '../rooms/permissions.ts'
import { RoomLink } from '../rooms/room-link.tsx'
import { roomsByCategory } from '../rooms/rooms.ts'
import { isUnread } from '../rooms/unread.ts'
import { go } from '../router.ts'
import { Icon } from '../shell/icon.tsx'
import { Menu, MenuItem } from '../shell/menu.tsx'
import { useRovingFocus } from '../shell/use-roving-focus.ts'
import type { House, Room } from '../state/state.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { openCreateRoom, openInvitePeople, openLeaveHouse } from './dialogs.tsx'
import { houseSections } from './house-sections.ts'

/** The rooms of a house by category, below its name. */
export function HouseRooms({ houseId, at }: { houseId: string; at: Place }) {
  const house = store.houses.value[houseId]
  const list = useRef<HTMLDivElement>(null)
  useRovingFocus(list)
  return (
    <nav class="rooms" aria-label={t().rooms}>
      {house && <HouseHead house={house} />}
      <div ref={list} class="rooms-list">
        {house &&
          roomsByCategory(house).map(({ id, name, rooms }) => (
            <Category key={id} id={id} name={name} rooms={rooms} at={at} />
          ))}
      </div>
    </nav>
  )
}

type CategoryProps = { id: string; name: string | undefined; rooms: Room[]; at: Place }

/** Rooms below the name of their category, which hides and shows them; what is unread or open stays in sight. */
function Category({ id, name, rooms, at }: CategoryProps) {
  const isClosed = name !== undefined && closedCategories.value.has(id)
  const shown = isClosed ? rooms.filter((room) => isUnread(room) || isOpen(room, at)) : rooms
  return (
    <section>
      {name !== undefined && (
        <h3>
          <button
            type="button"
            class="plain category-toggle"
            aria-expanded={!isClosed}
            onClick={() => toggleCategory(id)}
          >
            <Icon name="down" />
            <span class="cut">{name}</span>
          </button>
        </h3>
      )}
      <ul>
        {shown.map((room) => (
          <RoomLink key={room.id} room={room} at={at} before={<span aria-hidden="true">#</span>} />
        ))}
      </ul>
    </section>
  )
}

function isOpen({ id }: Room, at: Place): boolean {
  return 'roomId' in at && at.roomId === id
}

function HouseHead({ house }: { house: House }) {
  return (
    <header class="rooms-head">
      <h2 class="cut">{house.name}</h2>
      {store.me.value && <HouseMenu house={house} />}
    </header>
  )
}

function HouseMenu({ house }: { house: House }) {
  const bits = bitsInHouse(house)
  const isOwner = house.owner_id === store.me.value?.id
  return (
    <Menu label={t().menuOf(house.name)} button={<Icon name="down" />}>
      {hasBits(bits, permission.CREATE_INVITES) && (
        <MenuItem action={() => openInvitePeople(house.id)}>{t().invitePeople}</MenuItem>
      )}
      {hasBits(bits, permission.MANAGE_ROOMS) && (
        <MenuItem action={() => openCreateRoom(house.id)}>{t().createRoom}</MenuItem>
      )}
      {houseSections(house).length > 0 && (
        <MenuItem action={() => go({ name: 'houseSettings', houseId: house.id, section: '' })}>
          {t().houseSettings}
        </MenuItem>
      )}
      {!isOwner && <MenuItem action={() => openLeaveHouse(house)}>{t().leaveHouse}</MenuItem>}
    </Menu>
  )
}
