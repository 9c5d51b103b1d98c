import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { onEvent } from '../../connection.ts'
import { roomName } from '../../rooms/rooms.ts'
import { Form } from '../../shell/form.tsx'
import type { Room } from '../../state/state.ts'
import { store } from '../../state/store.ts'
import { plural, t } from '../../texts/texts.ts'
import { Filters } from './filters.tsx'
import { type Found, findMore, keptOf, nothingFound, type Wanted } from './found.ts'
import { SearchHit } from './search-hit.tsx'

/** What to search for, and the hits. The results of a house or private room are kept while one is elsewhere. */
export function SearchForm({ room }: { room: Room }) {
  const kept = keptOf(room)
  const form = useRef<HTMLDivElement>(null)
  const q = useSignal(kept.value.wanted.q)
  useDeletions(kept)
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
    <div class="search-body" ref={form}>
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

/** Deleted messages leave the hits. */
function useDeletions(kept: Signal<Found>): void {
  useEffect(
    () =>
      onEvent(({ e, d }) => {
        const { hits } = kept.peek()
        if (e !== 'MESSAGE_DELETE' || !hits?.some(({ id }) => id === d.id)) return
        kept.value = { ...kept.peek(), hits: hits.filter(({ id }) => id !== d.id) }
      }),
    [kept],
  )
}

function SearchFields({ room, wanted, q }: { room: Room; wanted: Wanted; q: Signal<string> }) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
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
