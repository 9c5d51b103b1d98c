import { useEffect } from 'preact/hooks'
import { FriendsPage } from '../friends/friends-page.tsx'
import { HouseRooms } from '../houses/house-rooms.tsx'
import { isComing, startPlace } from '../houses/last-rooms.ts'
import { Rail } from '../houses/rail.tsx'
import { Welcome } from '../houses/welcome.tsx'
import { LeftTexts } from '../messages/left-texts.tsx'
import { MentionsPage } from '../messages/mentions-page.tsx'
import { RoomPage } from '../messages/room-page.tsx'
import { listBefore, type Place } from '../places.ts'
import { NoRoom } from '../rooms/no-room.tsx'
import { PrivateRooms } from '../rooms/private-rooms.tsx'
import { go, goBackTo, place } from '../router.ts'
import { Banner } from '../shell/banner.tsx'
import { showsMembers, toggleMembers } from '../shell/layout.ts'
import { lazy } from '../shell/lazy.tsx'
import { isNarrow } from '../shell/media.ts'
import { NoticePage } from '../shell/page.tsx'
import { useHeadingFocus } from '../shell/use-heading-focus.ts'
import { type Swipe, useSwipe } from '../shell/use-swipe.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { MentionAnnouncer } from './mention-announcer.tsx'
import { SkipLinks } from './skip-links.tsx'
import { startKeys } from './start-keys.tsx'
import { StartingPage } from './starting-page.tsx'

const SettingsPage = lazy(async () => (await import('../settings/settings-page.tsx')).SettingsPage)
const HouseSettingsPage = lazy(
  async () => (await import('../houses/house-settings-page.tsx')).HouseSettingsPage,
)
const AdministrationPage = lazy(
  async () => (await import('../administration/administration-page.tsx')).AdministrationPage,
)

/** What somebody sees who is logged in: houses, rooms, and a page beside them. */
export function Shell() {
  useEffect(startKeys, [])
  useSwipe(swipe)
  useEffect(keepPlace, [])
  const at = shownPlace(isNarrow.value)
  useEffect(nameShownRoom)
  const column = isNarrow.value && isColumnOfRooms(at) ? 'rooms' : 'page'
  return (
    <div class="shell" data-column={column} tabIndex={-1}>
      <SkipLinks />
      <Rail at={at} />
      {column === 'rooms' ? <RoomsColumn at={at} /> : <Rooms at={at} />}
      <div class="page-column">
        <Banner />
        {column === 'page' && <Page at={at} />}
      </div>
      <MentionAnnouncer />
    </div>
  )
}

/** A narrow screen has the rooms of a house for themselves; a wide one has one of them beside the list. */
function shownPlace(isOneColumn: boolean): Place {
  return isOneColumn && place.value.name === 'house' ? place.value : startPlace(place.value)
}

/** The address names the room that is shown: back leads to it, and what becomes of it is seen. */
function nameShownRoom(): void {
  // What was there at the last visit may be gone.
  if (!store.me.value) return
  // Not the place of the render: one may have gone on since.
  const at = shownPlace(isNarrow.peek())
  if ('roomId' in at && at !== place.peek()) go(at, { replace: true })
}

/** A screen that becomes narrow keeps what was shown beside the list. */
function keepPlace(): () => void {
  let wasNarrow = isNarrow.value
  return isNarrow.subscribe((is) => {
    const shown = shownPlace(wasNarrow)
    if (is && !wasNarrow && shown !== place.value) go(shown, { replace: true })
    wasNarrow = is
  })
}

/** From the rooms to the conversation and to its members, and back. */
function swipe(direction: Swipe): void {
  const at = shownPlace(true)
  if (!isNarrow.value) return
  if (isColumnOfRooms(at)) {
    if (direction === 'forward') go(startPlace(at))
  } else if (direction === 'back') {
    if (showsMembers.value) toggleMembers()
    else goBackTo(listBefore(at))
  } else if ('roomId' in at && !showsMembers.value) toggleMembers()
}

function RoomsColumn({ at }: { at: Place }) {
  const heading = useHeadingFocus()
  return (
    <main id="page" class="rooms-column">
      <h1 ref={heading} class="visually-hidden" tabIndex={-1}>
        {t().rooms}
      </h1>
      <Rooms at={at} />
    </main>
  )
}

function Rooms({ at }: { at: Place }) {
  return 'houseId' in at ? <HouseRooms houseId={at.houseId} at={at} /> : <PrivateRooms at={at} />
}

/** On a narrow screen these places are the list of rooms itself. */
function isColumnOfRooms(at: Place): boolean {
  return at.name === 'house' || at.name === 'privateRooms'
}

function Page({ at }: { at: Place }) {
  if (!store.me.value || isComing(at)) return <StartingPage at={at} />
  switch (at.name) {
    case 'room':
    case 'private':
      return <RoomPage at={at} />
    case 'house':
      return (
        <NoRoom houseId={at.houseId}>
          <LeftTexts />
        </NoRoom>
      )
    case 'privateRooms':
    case 'friends':
      return <FriendsPage />
    case 'mentions':
      return <MentionsPage />
    case 'settings':
      return <SettingsPage section={at.section} />
    case 'administration':
      return <AdministrationPage section={at.section} />
    case 'houseSettings':
      return <HouseSettingsPage houseId={at.houseId} section={at.section} />
    case 'unknown':
      return <NoticePage title={t().notFound} text={t().nothingHere} />
    default:
      return <Welcome />
  }
}
