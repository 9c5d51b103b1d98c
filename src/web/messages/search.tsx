import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { normalizeMessage } from '../../client/messages.ts'
import { roomName } from '../rooms/rooms.ts'
import { api } from '../session.ts'
import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { Form } from '../shell/form.tsx'
import type { Message, Room } from '../state/state.ts'
import { onPersonLeft, store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { Hit } from './hit.tsx'

const limit = 25

/** Searches messages of a room, or of its whole house. */
export function openSearch(room: Room): void {
  openDialog(t().search, <Search room={room} />)
}

type Wanted = { q: string; isInHouse: boolean }
type Found = { wanted: Wanted; hits: Message[] | undefined; hasMore: boolean }

const nothingFound: Found = { wanted: { q: '', isInHouse: false }, hits: undefined, hasMore: false }
/** What was searched last, by room: one comes back to it from a hit. */
const lastFound = new Map<string, Found>()
onPersonLeft(() => lastFound.clear())

function Search({ room }: { room: Room }) {
  const found = useSignal<Found>(lastFound.get(room.id) ?? nothingFound)
  const show = (next: Found) => {
    found.value = next
    lastFound.set(room.id, next)
  }
  const load = async () => {
    const { wanted, hits = [] } = found.value
    // One more than is shown: whether there is a next page.
    const page = await find(room, wanted, hits.at(-1)?.id, limit + 1)
    show({ wanted, hits: [...hits, ...page.slice(0, limit)], hasMore: page.length > limit })
  }
  const submit = async ({ q = '', scope }: Record<string, string>) => {
    show({ ...nothingFound, wanted: { q: q.trim(), isInHouse: scope === 'house' } })
    await load()
  }
  const { hits, hasMore, wanted } = found.value
  return (
    <div class="search">
      <Form action={t().find} submit={submit}>
        <SearchFields room={room} wanted={wanted} />
      </Form>
      <p role="status" class="muted">
        {hits?.length === 0 && t().noHits}
      </p>
      {hits !== undefined && hits.length > 0 && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link of the list is a click too
        <ul class="hits" aria-label={t().hits} onClick={closeAtLink}>
          {hits.map((message) => (
            <Hit key={message.id} message={message} />
          ))}
        </ul>
      )}
      {hasMore && (
        <Form action={t().more} submit={load}>
          {null}
        </Form>
      )}
    </div>
  )
}

function SearchFields({ room, wanted }: { room: Room; wanted: Wanted }) {
  const id = useId()
  const house = store.houses.value[room.house_id ?? '']
  return (
    <>
      <div class="field">
        <label for={id}>{t().search}</label>
        <input
          id={id}
          type="search"
          name="q"
          required
          defaultValue={wanted.q}
          maxLength={200}
          autocomplete="off"
          // biome-ignore lint/a11y/noAutofocus: one opened the dialog to write here
          autoFocus
        />
      </div>
      {house && (
        <div class="field">
          <label for={`${id}-scope`}>{t().searchWhere}</label>
          <select id={`${id}-scope`} name="scope">
            <option value="room">{t().searchIn(roomName(room))}</option>
            <option value="house" selected={wanted.isInHouse}>
              {t().searchIn(house.name)}
            </option>
          </select>
        </div>
      )}
    </>
  )
}

async function find(
  room: Room,
  { q, isInHouse }: Wanted,
  before: string | undefined,
  limit: number,
): Promise<Message[]> {
  const query = { q, limit, ...(before !== undefined && { before }) }
  const answer =
    isInHouse && room.house_id !== null
      ? await api.call('searchHouse', { params: { id: room.house_id }, query })
      : await api.call('searchRoom', { params: { id: room.id }, query })
  return answer.map(normalizeMessage)
}

/** The way to a hit leads out of the dialog. */
function closeAtLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link && !link.target) closeDialog()
}
