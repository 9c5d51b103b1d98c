import type { Db } from '../../database/client.ts'
import { compareIds, epochMs, firstIdAt, greatestId, isGreaterId, isId, unknownId } from '../../ids.ts'
import { findAuthorsByName, findRoomsByName } from './filter-queries.ts'
import type { Having, Search } from './queries.ts'
import { type Filter, timeOf } from './term-operations.ts'

/** Where a search is made, and by whom. */
export type SearchPlace = {
  caller_id: string
  house_id: string | null
  room_ids: readonly string[]
}

type Filtered = Pick<Search, 'room_ids' | 'author_ids' | 'before' | 'from' | 'has' | 'is_pinned'>

/** What filters leave of a place, with what the parameters of the query ask for. */
export async function applyFilters(
  db: Db,
  place: SearchPlace,
  filters: readonly Filter[],
  { author_id, before }: { author_id?: string; before?: string },
): Promise<Filtered> {
  const valuesOf = (name: Filter['name']) =>
    filters.filter((filter) => filter.name === name).map(({ value }) => value.toLowerCase())
  const [authors, rooms] = [valuesOf('from'), valuesOf('in').map((name) => name.replace(/^#/, ''))]
  const named = authors.length === 0 ? undefined : await findAuthors(db, place, authors)
  const author_ids =
    author_id === undefined ? named : named ? named.filter((id) => id === author_id) : [author_id]
  const ends = [...valuesOf('before').map(idAt), ...(before === undefined ? [] : [before])]
  const starts = valuesOf('after').map(idAt)
  return {
    room_ids: rooms.length === 0 ? place.room_ids : await findRoomsByName(db, place.room_ids, rooms),
    ...(author_ids && { author_ids }),
    ...(ends.length > 0 && { before: ends.reduce((one, other) => (isGreaterId(one, other) ? other : one)) }),
    ...(starts.length > 0 && { from: starts.sort(compareIds).at(-1)! }),
    has: valuesOf('has') as Having[],
    is_pinned: valuesOf('is').length > 0,
  }
}

async function findAuthors(db: Db, place: SearchPlace, names: readonly string[]): Promise<string[]> {
  const { caller_id, house_id, room_ids } = place
  const bare = names.map((name) => name.replace(/^@/, ''))
  const found = await findAuthorsByName(db, { house_id, room_id: room_ids[0] ?? null, names: bare })
  const own = bare.includes('me') ? [caller_id] : []
  return [...new Set([...bare.filter(isId), ...own, ...found])]
}

/** The first id of the time that a filter names; ids end in the year 2089. */
function idAt(text: string): string {
  const ms = timeOf(text) ?? 0
  const id = ms < epochMs ? unknownId : firstIdAt(ms)
  return isGreaterId(id, greatestId) ? greatestId : id
}
