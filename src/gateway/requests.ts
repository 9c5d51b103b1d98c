import { listVisiblePairs } from '../friendships/contact-queries.ts'
import { asId, nobodysId } from '../ids.ts'
import { member } from '../members/forms.ts'
import { listMembers, listMembersById, type MemberRow } from '../members/queries.ts'
import { gatewayUser } from '../users/forms.ts'
import { listGatewayUsers } from '../users/queries.ts'
import { payload } from './frames.ts'
import type { Gateway } from './gateway.ts'
import type { Session } from './session.ts'
import { maxChunkMembers, maxEventBytes, maxWatchedUsers } from './settings.ts'

/** What op 6 and op 7 ask for. */
export type Asked = { ids: string[]; houseId: string }

/** Reads the `d` of op 6 and op 7. Undefined where its `user_ids` are no list of str. */
export function readAsked(d: unknown): Asked | undefined {
  const { user_ids, house_id } = (d ?? {}) as { user_ids?: unknown; house_id?: unknown }
  if (!Array.isArray(user_ids) || !user_ids.every((id) => typeof id === 'string')) return undefined
  return { ids: user_ids.map(asId), houseId: typeof house_id === 'string' ? asId(house_id) : nobodysId }
}

/** Op 6: replaces the users whose presence the session wants to be told of, and sends the present ones. */
export async function watchPresences({ db, hub }: Gateway, session: Session, { ids }: Asked): Promise<void> {
  if (ids.length > maxWatchedUsers) return
  const pairs = [...new Set(ids)].map((user_id) => ({ user_id, viewer_id: session.userId }))
  hub.watch(session, new Set(ids))
  const visible = await listVisiblePairs(db, pairs)
  const userIds = visible.map((pair) => pair.user_id)
  for (const row of await listGatewayUsers(db, userIds)) {
    session.emit(payload('PRESENCE_UPDATE', gatewayUser(row)))
  }
}

/** Op 7: sends some or all members of a house that the session was told of. */
export async function listMembersFor(
  { db }: Gateway,
  session: Session,
  { ids, houseId }: Asked,
): Promise<void> {
  if (!session.houses.has(houseId)) return
  if (ids.length > 0)
    return emitChunks(session, houseId, await listMembersById(db, houseId, [...new Set(ids)]))
  let last = nobodysId
  while (session.houses.has(houseId)) {
    // Read only when it can be sent: what happens to the members meanwhile is sent before it.
    await session.connection?.drained()
    const rows = await listMembers(db, houseId, { after: last, limit: maxChunkMembers })
    if (rows.length === 0) return
    last = rows.at(-1)!.user_id
    emitChunks(session, houseId, rows)
    if (rows.length < maxChunkMembers) return
  }
}

function emitChunks(session: Session, houseId: string, rows: readonly MemberRow[]): void {
  if (!session.houses.has(houseId)) return
  let chunk: string[] = []
  let bytes = 0
  const emit = () => {
    const json = `{"house_id":"${houseId}","members":{${chunk.join(',')}}}`
    session.emit({ name: 'HOUSE_MEMBERS_CHUNK', json })
    chunk = []
    bytes = 0
  }
  for (const row of rows) {
    const entry = `"${row.user_id}":${JSON.stringify(member(row))}`
    const size = Buffer.byteLength(entry) + 1
    if (chunk.length === maxChunkMembers || (chunk.length > 0 && bytes + size > maxEventBytes)) emit()
    chunk.push(entry)
    bytes += size
  }
  // Every request is answered, even if there are no members to send.
  if (chunk.length > 0 || rows.length === 0) emit()
}
