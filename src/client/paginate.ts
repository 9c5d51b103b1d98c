import type { Api, CallOptions } from './api.ts'
import type { Answer, Input, OperationId } from './operations.ts'

/** How to request the next page of a list: from its last item, or as the response says (docs/api.md#paging). */
const cursors = {
  listMessages: before(idOf),
  listOwnFeed: before(idOf),
  listOwnMentions: before(idOf),
  searchRoom: 'named',
  searchHouse: 'named',
  listReactionUsers: before(idOf),
  listSessions: before(idOf),
  listAuditLog: before(idOf),
  listServerAuditLog: before(idOf),
  listBans: before(userIdOf),
  listPrivateRooms: before(activityOf),
  listMembers: after(userIdOf),
  listAdministeredUsers: after(idOf),
  listAdministeredHouses: after(idOf),
} as const satisfies Partial<Record<OperationId, Cursor | 'named'>>

type Item = { id?: string; user_id?: string; last_message_id?: string | null }
type Cursor = { key: 'before' | 'after'; of: (item: Item) => string }

function before(of: Cursor['of']): Cursor {
  return { key: 'before', of }
}
function after(of: Cursor['of']): Cursor {
  return { key: 'after', of }
}
function idOf(item: Item): string {
  return item.id!
}
function userIdOf(item: Item): string {
  return item.user_id!
}
function activityOf(item: Item): string {
  return item.last_message_id ?? item.id!
}

/** The operations that answer pages of a list. */
export type ListOperation = keyof typeof cursors
export type ItemOf<Id extends ListOperation> = Answer<Id>[number]

type ListInput = { query?: Record<string, unknown> } & CallOptions

/**
 * All items of a list, page by page, in its order; `limit` of the query is the size of a page. A message list with
 * `after` begins with the oldest item after it; one with `around` goes on with older messages.
 *
 *     for await (const message of paginate(api, 'listMessages', { params: { id: room_id } })) …
 */
export async function* paginate<Id extends ListOperation>(
  api: Pick<Api, 'call'>,
  operation: Id,
  input: Input<Id> & CallOptions,
): AsyncGenerator<ItemOf<Id>, void, undefined> {
  const call = api.call.bind(api) as (operation: Id, input: ListInput) => Promise<ItemOf<Id>[]>
  const given = input as ListInput
  if (!Object.hasOwn(cursors, operation)) throw new TypeError(`${operation} has no pages`)
  const cursor = cursors[operation] as Cursor | 'named'
  const isForward = cursor !== 'named' && cursor.key === 'before' && given.query?.after !== undefined
  let query = given.query ?? {}
  for (;;) {
    let next: string | undefined
    const onNextPage = (named: string) => {
      next = named
      given.onNextPage?.(named)
    }
    const page = await call(operation, { ...given, query, onNextPage })
    if (isForward) page.reverse()
    yield* page
    const last = page.at(-1)
    if (cursor === 'named') {
      if (next === undefined) return
      query = { ...query, before: next }
    } else {
      if (last === undefined) return
      // Only one of `before`, `after` and `around` may be given.
      query = { ...query, around: undefined, [isForward ? 'after' : cursor.key]: cursor.of(last as Item) }
    }
  }
}
