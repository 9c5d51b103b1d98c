import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { normalizeMessage } from '../../client/messages.ts'
import { roomName } from '../rooms/rooms.ts'
import { api } from '../session.ts'
import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { Form } from '../shell/form.tsx'
import type { Message, Room } from '../state/state.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { Hit } from './hit.tsx'

const limit = 25

/** Searches messages of a room, or of its whole house. */
export function openSearch(room: Room): void {
  openDialog(t().search, <Search room={room} />)
}

type Wanted = { q: string; isInHouse: boolean }

function Search({ room }: { room: Room }) {
  const hits = useSignal<Message[] | undefined>(undefined)
  /** The id before which the next page is. */
  const next = useSignal<string | undefined>(undefined)
  const wanted = useSignal<Wanted>({ q: '', isInHouse: false })
  const load = async () => {
    const page = await find(room, wanted.value, next.value)
    hits.value = [...(hits.value ?? []), ...page.hits]
    next.value = page.next
  }
  const submit = async ({ q = '', scope }: Record<string, string>) => {
    wanted.value = { q: q.trim(), isInHouse: scope === 'house' }
    hits.value = undefined
    next.value = undefined
    await load()
  }
  return (
    <div class="search">
      <Form action={t().find} submit={submit}>
        <SearchFields room={room} />
      </Form>
      <p role="status" class="muted">
        {hits.value?.length === 0 && (next.value === undefined ? t().noHits : t().noHitsYet)}
      </p>
      {hits.value !== undefined && hits.value.length > 0 && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link of the list is a click too
        <ul class="hits" aria-label={t().hits} onClick={closeAtLink}>
          {hits.value.map((message) => (
            <Hit key={message.id} message={message} />
          ))}
        </ul>
      )}
      {next.value !== undefined && (
        <Form action={t().more} submit={load}>
          {null}
        </Form>
      )}
    </div>
  )
}

function SearchFields({ room }: { room: Room }) {
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
            <option value="house">{t().searchIn(house.name)}</option>
          </select>
        </div>
      )}
    </>
  )
}

async function find(room: Room, { q, isInHouse }: Wanted, before: string | undefined) {
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
