import { listVisiblePairs } from '../../friendships/contact-queries.ts'
import { listMemberSlice } from '../../houses/members/list-operations.ts'
import { asId, unknownId } from '../../ids.ts'
import { listGatewayUsers } from '../../users/queries.ts'
import { serializeGatewayUser } from '../../users/serializers.ts'
import type { GatewayContext } from '../context.ts'
import { maxChunkBytes, maxChunkMembers, maxWatchedUsers } from '../settings.ts'
import type { ClientFrame } from '../transport/client-frame.ts'
import { opcode, payload, textsWithin } from '../transport/frames.ts'
import type { Session } from './session.ts'

/** What op 6 and op 7 ask for. */
type IdRequest = { ids: string[]; houseId: string }

/**
 * The ids in requests of a session that wait, where each request counts as some more: past this, requests are ignored.
 * As many requests as a client may send in a minute fit, if they do not name hundreds of ids each.
 */
const maxWaitingIds = 60_000
const idsPerRequest = 100

/** Handles op 6 and op 7 of a session, one request after another, once its login is over. */
export function handleRequest(gateway: GatewayContext, session: Session, { op, d }: ClientFrame): void {
  const request = parseIdRequest(d)
  const isRequest = op === opcode.watchPresences || op === opcode.listMembers
  const ids = (request?.ids.length ?? 0) + idsPerRequest
  if (!isRequest || !request || session.waitingIds + ids > maxWaitingIds) return
  session.waitingIds += ids
  const answer = op === opcode.watchPresences ? watchPresences : listMembersFor
  session.requests = Promise.all([session.requests, session.ready])
    .then(() => answer(gateway, session, request))
    .catch((error: unknown) => {
      gateway.log.error({ err: error }, 'a request on the gateway failed')
      gateway.registry.end(session, 'internal_error')
    })
    .finally(() => {
      session.waitingIds -= ids
    })
}

/** Undefined where `user_ids` is not a list of strings. */
function parseIdRequest(d: unknown): IdRequest | undefined {
  const { user_ids, house_id } = (d ?? {}) as { user_ids?: unknown; house_id?: unknown }
  if (!Array.isArray(user_ids) || !user_ids.every((id) => typeof id === 'string')) return undefined
  return { ids: user_ids.map(asId), houseId: typeof house_id === 'string' ? asId(house_id) : unknownId }
}

/** Op 6: replaces the users to whose presence the session is subscribed, and sends the present ones. */
async function watchPresences({ db, registry }: GatewayContext, session: Session, { ids }: IdRequest) {
  if (ids.length > maxWatchedUsers) return
  const userIds = new Set(ids)
  registry.watch(session, userIds)
  const pairs = [...userIds].map((user_id) => ({ user_id, viewer_id: session.userId }))
  const visible = await listVisiblePairs(db, pairs)
  const rows = await listGatewayUsers(
    db,
    visible.map((pair) => pair.user_id),
  )
  for (const row of rows) session.answer(payload('PRESENCE_UPDATE', serializeGatewayUser(row)))
}

/** Op 7: sends some or all members of a house that the session knows, by their ids. */
export async function listMembersFor(
  { db, memberReads }: GatewayContext,
  session: Session,
  { ids, houseId }: IdRequest,
): Promise<void> {
  const among = ids.length > 0 ? [...new Set(ids)] : undefined
  let after = unknownId
  let limit = maxChunkMembers
  for (let isFirst = true; ; isFirst = false) {
    // Read only when it can be sent, so that no older state follows what happened to the members meanwhile.
    await session.connection.drained()
    if (!session.houses.has(houseId)) return
    const slice = { after, limit, among }
    const members = await memberReads(session.account, () => listMemberSlice(db, houseId, slice))
    if (!session.houses.has(houseId)) return
    const written = textsWithin(maxChunkBytes, members, (one) => `"${one.user_id}":${JSON.stringify(one)}`)
    // Each request is answered, even with no members.
    if (written.length === 0 && !isFirst) return
    const json = `{"house_id":"${houseId}","members":{${written.join()}}}`
    session.answer({ name: 'HOUSE_MEMBERS_CHUNK', json })
    if (written.length === members.length && members.length < limit) return
    after = members[written.length - 1]!.user_id
    // Where members have many roles few of them fill a chunk; what does not fit into the next one is read in vain.
    limit = Math.min(maxChunkMembers, 2 * written.length)
  }
}
