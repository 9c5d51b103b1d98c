/** A list in an order that people change. Things move between lists of one kind. */
export type OrderedList = { id: string; ids: readonly string[]; kind?: string; isClosed?: boolean }

/** What was moved, the list that it is in now, and all that this list is to have, in order. */
export type Placement = { id: string; listId: string; ids: string[] }

/** Puts something into a list: before something else, or at the end. Undefined where nothing changes. */
export function placed(
  lists: readonly OrderedList[],
  id: string,
  listId: string,
  beforeId?: string,
): Placement | undefined {
  const list = lists.find((each) => each.id === listId)
  if (!list || list.isClosed || id === beforeId) return undefined
  const rest = list.ids.filter((each) => each !== id)
  const index = beforeId === undefined ? -1 : rest.indexOf(beforeId)
  const ids = rest.toSpliced(index < 0 ? rest.length : index, 0, id)
  return ids.join() === list.ids.join() ? undefined : { id, listId, ids }
}

/** Moves something by one place, at the end of its list into the next one; undefined where there is no further. */
export function stepped(lists: readonly OrderedList[], id: string, by: 1 | -1): Placement | undefined {
  const list = listOf(lists, id)
  if (!list) return undefined
  const index = list.ids.indexOf(id)
  const neighbour = list.ids[index + by]
  if (neighbour !== undefined && !list.isClosed) {
    return placed(lists, id, list.id, by < 0 ? neighbour : list.ids[index + 2])
  }
  const alike = lists.filter(({ kind }) => kind === list.kind)
  const next = alike[alike.indexOf(list) + by]
  return next && placed(lists, id, next.id, by > 0 ? next.ids[0] : undefined)
}

/** The list that something is in. */
export function listOf(lists: readonly OrderedList[], id: string): OrderedList | undefined {
  return lists.find(({ ids }) => ids.includes(id))
}
