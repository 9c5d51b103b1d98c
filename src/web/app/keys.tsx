import { startPlace } from '../houses/last-rooms.ts'
import { focusComposer } from '../messages/composer-focus.ts'
import { acknowledge } from '../messages/use-acknowledge.ts'
import { placeOf } from '../rooms/rooms.ts'
import { isUnread } from '../rooms/unread.ts'
import { go, isPageCovered, place } from '../router.ts'
import { openDialog } from '../shell/dialog.tsx'
import type { Room } from '../state/state.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { allRooms, neighbourOf } from './find-places.ts'
import { openSwitcher } from './switcher.tsx'

/** What the keys do that work everywhere while one is logged in. */
const actions: Record<string, () => void> = {
  'Ctrl+k': openSwitcher,
  'Ctrl+/': openKeys,
  'Ctrl+F6': () => goToRegion(1),
  'Ctrl+Shift+F6': () => goToRegion(-1),
  'Alt+ArrowUp': () => goToNeighbour(-1, isInSameList),
  'Alt+ArrowDown': () => goToNeighbour(1, isInSameList),
  'Alt+Shift+ArrowUp': () => goToNeighbour(-1, isUnread),
  'Alt+Shift+ArrowDown': () => goToNeighbour(1, isUnread),
  Escape: () => markRead(allRooms().filter(({ id }) => id === hereId())),
  'Shift+Escape': () => markRead(allRooms()),
}

/** Listens for these keys, after it has handled earlier ones. Returns what ends that. */
export function listenForKeys(early: readonly KeyboardEvent[]): () => void {
  for (const event of early) onKey(event)
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

function onKey(event: KeyboardEvent): void {
  // What is above the page keeps its keys.
  if (event.defaultPrevented || document.querySelector('dialog[open], [popover]:popover-open')) return
  const act = actions[nameOf(event)]
  if (act) {
    event.preventDefault()
    act()
  } else if (isForComposer(event) && !isPageCovered.peek()) focusComposer()
}

const fields = 'input, textarea, select, video, audio'

/** Whether a key writes or pastes something, and no field has the focus. A space presses buttons and scrolls. */
function isForComposer(event: KeyboardEvent): boolean {
  const { key, altKey, target } = event
  if (target instanceof Element && target.closest(fields)) return false
  const hasCtrl = event.ctrlKey || event.metaKey
  if (hasCtrl && !altKey && key.toLowerCase() === 'v') return true
  if (key === ' ' || (key !== 'Dead' && Array.from(key).length !== 1)) return false
  // Many keyboards have signs on Alt, or on Ctrl and Alt.
  const writesSign = event.getModifierState('AltGraph') || (altKey && !hasCtrl && !/^[\da-z]$/i.test(key))
  return writesSign || !(altKey || hasCtrl)
}

/** A slash may need Shift: it counts for letters and signs by what they write. */
function nameOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string {
  const isSign = key.length === 1
  const held = [(ctrlKey || metaKey) && 'Ctrl', altKey && 'Alt', shiftKey && !isSign && 'Shift']
  return [...held.filter(Boolean), isSign ? key.toLowerCase() : key].join('+')
}

function hereId(): string {
  const at = startPlace(place.value)
  return 'roomId' in at ? at.roomId : ''
}

function isInSameList({ house_id }: Room): boolean {
  return house_id === (store.rooms.value[hereId()]?.house_id ?? null)
}

function goToNeighbour(step: 1 | -1, fits: (room: Room) => boolean): void {
  const room = neighbourOf(hereId(), step, fits)
  if (room) go(placeOf(room))
}

function markRead(rooms: readonly Room[]): void {
  for (const { id, last_message_id } of rooms.filter(isUnread)) {
    if (last_message_id !== null) acknowledge(id, last_message_id)
  }
}

const regions = ['.rail', '.rooms', '.log, .page-body', '.composer', '.search', '.members']

/** Moves the focus to the next part of the page: to where one is in it, else to what comes first. */
function goToRegion(step: 1 | -1): void {
  const present = regions.flatMap((selector) => document.querySelector<HTMLElement>(selector) ?? [])
  const from = present.findIndex((region) => region.contains(document.activeElement))
  const focusable = 'a[href], button, textarea, input, select, [tabindex="0"]'
  for (let count = 1; count <= present.length; count += 1) {
    const index = (Math.max(from, step === 1 ? -1 : 0) + step * count) % present.length
    const region = present.at(index)
    const first = region?.matches(focusable)
      ? region
      : (region?.querySelector<HTMLElement>('[aria-current]') ??
        region?.querySelector<HTMLElement>(focusable))
    first?.focus()
    if (first && document.activeElement === first) return
  }
}

function openKeys(): void {
  openDialog(
    t().keys,
    <dl class="keys">
      {Object.entries(t().keyTexts).map(([keys, text]) => (
        <div key={keys}>
          <dt>
            {keys.split(', ').map((each) => (
              <kbd key={each}>{each}</kbd>
            ))}
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>,
  )
}
