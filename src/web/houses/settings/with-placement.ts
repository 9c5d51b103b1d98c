import type { OrderedList, Placement } from '../../shell/order.ts'

/** The lists as a placement has left them, unless something else was added to its list or taken from it since. */
export function withPlacement(lists: readonly OrderedList[], { id, listId, ids }: Placement): OrderedList[] {
  const members = (list: readonly string[]) => list.toSorted().join()
  const isSame = (list: OrderedList) => members(ids) === members([...new Set([...list.ids, id])])
  if (!lists.some((list) => list.id === listId && isSame(list))) return [...lists]
  return lists.map((list) => ({
    ...list,
    ids: list.id === listId ? ids : list.ids.filter((each) => each !== id),
  }))
}
