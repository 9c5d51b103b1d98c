import { type Signal, signal } from '@preact/signals'
import { normalizeMessage } from '../../../client/messages.ts'
import { onEvent } from '../../connection.ts'
import { api } from '../../session.ts'
import type { Message, Room } from '../../state/state.ts'
import { onPersonLeft } from '../../state/store.ts'
import { withTimes } from './search-text.ts'

const limit = 25

export type Wanted = { q: string; order: 'newest' | 'best'; place: { house: string } | { room: string } }
/** `next`: the id before which the next page is. */
export type Found = { wanted: Wanted; hits: Message[] | undefined; next: string | undefined }

export const nothingFound: Found = {
  wanted: { q: '', order: 'newest', place: { room: '' } },
  hits: undefined,
  next: undefined,
}

const kept = new Map<string, Signal<Found>>()
onPersonLeft(() => kept.clear())

/** Deleted messages leave the hits, also while the panel is closed. */
onEvent(({ e, d }) => {
  if (e !== 'MESSAGE_DELETE') return
  for (const found of kept.values()) {
    const { hits } = found.peek()
    const left = hits?.filter(({ id }) => id !== d.message_id)
    if (left?.length !== hits?.length) found.value = { ...found.peek(), hits: left }
  }
})

/** What was searched last in the house of a room, or in the private room. */
export function keptOf(room: Room): Signal<Found> {
  const key = room.house_id ?? room.id
  const found = kept.get(key) ?? signal(nothingFound)
  kept.set(key, found)
  return found
}

/** The hits so far, and those of the next page. */
export async function findMore({ wanted, hits = [], next }: Found): Promise<Found> {
  const page = await find(wanted, next)
  return { wanted, hits: [...hits, ...page.hits], next: page.next }
}

/** Of newest hits, one more is asked for than is shown: whether there is a next page. A search that ended early names it. */
async function find(wanted: Wanted, before: string | undefined) {
  const isRanked = wanted.order === 'best'
  const page = await ask(wanted, before, isRanked ? limit : limit + 1)
  if (isRanked || page.hits.length <= limit) return page
  const hits = page.hits.slice(0, limit)
  return { hits, next: hits.at(-1)!.id }
}

async function ask({ q, order, place }: Wanted, before: string | undefined, limit: number) {
  let next: string | undefined
  const onNextPage = (id: string) => {
    next = id
  }
  const query = { q: withTimes(q), order, limit, ...(before !== undefined && { before }) }
  const answer =
    'house' in place
      ? await api.call('searchHouse', { params: { id: place.house }, query, onNextPage })
      : await api.call('searchRoom', { params: { id: place.room }, query, onNextPage })
  return { hits: answer.map(normalizeMessage), next }
}
