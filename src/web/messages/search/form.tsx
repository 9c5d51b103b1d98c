import { type Signal, useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { roomName } from '../../rooms/rooms.ts'
import { Form } from '../../shell/form.tsx'
import { useFocusWhenShown } from '../../shell/use-focus-when-shown.ts'
import type { Room } from '../../state/state.ts'
import { store } from '../../state/store.ts'
import { plural, t } from '../../texts/texts.ts'
import { Filters } from './filters.tsx'
import { findMore, keptOf, nothingFound, type Wanted } from './found.ts'
import { SearchHit } from './search-hit.tsx'

/** The search text with its filters, and the hits. Those of a house or private room are kept while the user is elsewhere. */
export function SearchForm({ room }: { room: Room }) {
  const kept = keptOf(room)
  const q = useSignal(kept.value.wanted.q)
  const load = async () => {
    const { wanted } = kept.value
    const found = await findMore(kept.value)
    // Another search may have begun meanwhile.
    if (kept.peek().wanted === wanted) kept.value = found
  }
  const submit = async (values: Record<string, string>) => {
    kept.value = { ...nothingFound, wanted: wantedOf(room, values) }
    await load()
  }
  const { hits, next, wanted } = kept.value
  return (
    <div class="search-body">
      <Form action={t().find} submit={submit}>
        <SearchFields room={room} wanted={wanted} q={q} />
      </Form>
      <p role="status" class="muted">
        {hits && hitsText(hits.length, next !== undefined)}
      </p>
      {hits !== undefined && hits.length > 0 && (
        <ul class="hits" aria-label={t().hits}>
          {hits.map((message) => (
            <SearchHit key={message.id} message={message} q={wanted.q} />
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

/** `isMore`: older messages may have further hits. */
function hitsText(count: number, isMore: boolean): string {
  if (count > 0) return plural(isMore ? t().hitCountSoFar : t().hitCount, count)
  return isMore ? t().noHitsYet : t().noHits
}

function wantedOf(room: Room, { q = '', scope, order }: Record<string, string>): Wanted {
  return {
    q: q.trim(),
    order: order === 'best' ? 'best' : 'newest',
    place: scope === 'house' && room.house_id !== null ? { house: room.house_id } : { room: room.id },
  }
}

function SearchFields({ room, wanted, q }: { room: Room; wanted: Wanted; q: Signal<string> }) {
  const id = useId()
  const field = useFocusWhenShown<HTMLInputElement>()
  const house = store.houses.value[room.house_id ?? '']
  return (
    <>
      <div class="field">
        <label for={id}>{t().search}</label>
        <input
          ref={field}
          id={id}
          type="search"
          name="q"
          required
          value={q.value}
          onInput={({ currentTarget }) => {
            q.value = currentTarget.value
          }}
          maxLength={200}
          autocomplete="off"
        />
      </div>
      <Filters q={q} field={field} />
      {house && (
        <div class="field">
          <label for={`${id}-scope`}>{t().searchWhere}</label>
          <select id={`${id}-scope`} name="scope">
            <option value="room">{roomName(room)}</option>
            <option value="house" selected={'house' in wanted.place}>
              {house.name}
            </option>
          </select>
        </div>
      )}
      <div class="field">
        <label for={`${id}-order`}>{t().searchOrder}</label>
        <select id={`${id}-order`} name="order">
          <option value="newest">{t().newestFirst}</option>
          <option value="best" selected={wanted.order === 'best'}>
            {t().bestFirst}
          </option>
        </select>
      </div>
    </>
  )
}
