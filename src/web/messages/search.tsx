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
/** `next`: the id before which the next page is. */
type Found = { wanted: Wanted; hits: Message[] | undefined; next: string | undefined }

const nothingFound: Found = { wanted: { q: '', isInHouse: false }, hits: undefined, next: undefined }
/** What was searched last, by room: one comes back to it from a hit. */
const lastFound = new Map<string, Found>()
onPersonLeft(() => lastFound.clear())

function Search({ room }: { room: Room }) {
  const found = useSignal<Found>(lastFound.get(room.id) ?? nothingFound)
  const show = (now: Found) => {
    found.value = now
    lastFound.set(room.id, now)
  }
  const load = async () => {
    const { wanted, hits = [] } = found.value
    // One more than is shown: whether there is a next page. A search that ended early names it.
    const page = await find(room, wanted, found.value.next, limit + 1)
    const shown = page.hits.slice(0, limit)
    const next = page.hits.length > limit ? shown.at(-1)!.id : page.next
    show({ wanted, hits: [...hits, ...shown], next })
  }
  const submit = async ({ q = '', scope }: Record<string, string>) => {
    show({ ...nothingFound, wanted: { q: q.trim(), isInHouse: scope === 'house' } })
    await load()
  }
  const { hits, next, wanted } = found.value
  return (
    <div class="search">
      <Form action={t().find} submit={submit}>
        <SearchFields room={room} wanted={wanted} />
      </Form>
      <p role="status" class="muted">
        {hits?.length === 0 && (next === undefined ? t().noHits : t().noHitsYet)}
      </p>
      {hits !== undefined && hits.length > 0 && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link of the list is a click too
        <ul class="hits" aria-label={t().hits} onClick={closeAtLink}>
          {hits.map((message) => (
            <Hit key={message.id} message={message} />
          ))}
        </ul>
      )}
      {next !== undefined && (
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

async function find(room: Room, { q, isInHouse }: Wanted, before: string | undefined, limit: number) {
  let next: string | undefined
  const onNextPage = (id: string) => {
    next = id
  }
  const query = { q, limit, ...(before !== undefined && { before }) }
  const answer =
    isInHouse && room.house_id !== null
      ? await api.call('searchHouse', { params: { id: room.house_id }, query, onNextPage })
      : await api.call('searchRoom', { params: { id: room.id }, query, onNextPage })
  return { hits: answer.map(normalizeMessage), next }
}

/** The way to a hit leads out of the dialog. */
function closeAtLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link && !link.target) closeDialog()
}
