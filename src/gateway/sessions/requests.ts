import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../database/client.ts'
import { listVisiblePairs } from '../../friendships/contact-queries.ts'
import { listMemberSlice } from '../../houses/members/list-operations.ts'
import { asId, unknownId } from '../../ids.ts'
import { type GatewayUserRow, listGatewayUsers } from '../../users/queries.ts'
import { serializeGatewayUser } from '../../users/serializers.ts'
import type { GatewayContext } from '../context.ts'
import {
  maxChunkBytes,
  maxChunkMembers,
  maxPresencesAtOnce,
  maxWatchedUsers,
  presenceLookupBytes,
} from '../settings.ts'
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
async function watchPresences(gateway: GatewayContext, session: Session, { ids }: IdRequest) {
  if (ids.length > maxWatchedUsers) return
  const userIds = new Set(ids)
  if (!gateway.registry.watch(session, userIds, gateway.settings.maxWatchedOfPerson))
    return gateway.refusals.note('watched')
  const wanted = [...userIds]
  for (let first = 0; first < wanted.length; first += maxPresencesAtOnce) {
    await untilSendable(gateway, session)
    if (!gateway.registry.has(session)) return
    const some = wanted.slice(first, first + maxPresencesAtOnce)
    const rows = await gateway.memberReads(session.personId, () =>
      listVisible(gateway.db, session.userId, some),
    )
    const presences = rows.map((row) => payload('PRESENCE_UPDATE', serializeGatewayUser(row)))
    for (const presence of presences) session.answer(presence)
    const sentBytes = presences.reduce((sum, { json }) => sum + json.length, 0)
    gateway.answeredBytes.charge(session.personId, sentBytes + presenceLookupBytes * some.length)
  }
}

/** The users among these whose presence the viewer may see. */
async function listVisible(db: Db, viewer_id: string, ids: readonly string[]): Promise<GatewayUserRow[]> {
  const pairs = ids.map((user_id) => ({ user_id, viewer_id }))
  const visible = (await listVisiblePairs(db, pairs)).map((pair) => pair.user_id)
  return visible.length > 0 ? listGatewayUsers(db, visible) : []
}

/**
 * Waits until the socket has taken what was sent, so that no older state follows what happens meanwhile, and until the
 * person has bytes left.
 */
export async function untilSendable({ answeredBytes }: GatewayContext, session: Session): Promise<void> {
  await session.connection.drained()
  const waitMs = answeredBytes.waitMs(session.personId)
  if (waitMs === 0 || !session.connection.isOpen) return
  await pause(waitMs, undefined, { ref: false })
  await session.connection.drained()
}

/** Op 7: sends some or all members of a house that the session knows, by their ids. */
export async function listMembersFor(
  gateway: GatewayContext,
  session: Session,
  { ids, houseId }: IdRequest,
): Promise<void> {
  const among = ids.length > 0 ? [...new Set(ids)] : undefined
  let after = unknownId
  let limit = maxChunkMembers
  for (let isFirst = true; ; isFirst = false) {
    await untilSendable(gateway, session)
    if (!session.houses.has(houseId)) return
    const slice = { after, limit, among }
    const members = await gateway.memberReads(session.personId, () =>
      listMemberSlice(gateway.db, houseId, slice),
    )
    if (!session.houses.has(houseId)) return
    const written = textsWithin(maxChunkBytes, members, (one) => `"${one.user_id}":${JSON.stringify(one)}`)
    // Each request is answered, even with no members.
    if (written.length === 0 && !isFirst) return
    const json = `{"house_id":"${houseId}","members":{${written.join()}}}`
    session.answer({ name: 'HOUSE_MEMBERS_CHUNK', json })
    gateway.answeredBytes.charge(session.personId, json.length)
    if (written.length === members.length && members.length < limit) return
    after = members[written.length - 1]!.user_id
    // Where members have many roles few of them fill a chunk; what does not fit into the next one is read in vain.
    limit = Math.min(maxChunkMembers, 2 * written.length)
  }
}
