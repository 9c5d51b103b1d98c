import { presenceOf } from '../../events/presence.ts'
import { listBlockersAmong, listContacts } from '../../friendships/contact-queries.ts'
import {
  countMembers,
  listHousesWithPresence,
  listLongestMembersOfHouses,
  listMembersById,
} from '../../houses/members/gateway-queries.ts'
import { listGatewayUsers } from '../../users/queries.ts'
import { serializeGatewayUser } from '../../users/serializers.ts'
import type { GatewayContext } from '../context.ts'
import { prepare } from '../delivery/dispatch.ts'
import { maxReplayedEvents } from '../settings.ts'
import { type Payload, payload } from '../transport/frames.ts'
import { memberPresence } from './house-state.ts'
import { type Replay, readReplay } from './replay.ts'
import type { Session } from './session.ts'

/** Events that are read together, when the socket has taken those before. */
const eventsAtOnce = 50

/** Reads what a client missed after a position. Returns how to send it; undefined if the client must log in instead. */
export async function readResume(
  gateway: GatewayContext,
  session: Session,
  position: number,
): Promise<(() => Promise<void>) | undefined> {
  const replay = await readReplay(gateway, session, position)
  if (!replay) return undefined
  // Presences are then those of the position where the replay ends, or later ones.
  await gateway.bus.catchUp()
  const presences = await readPresences(gateway, session.userId, position)
  if (!presences || replay.missed.length + presences.length > maxReplayedEvents) return undefined
  return () => sendReplay(gateway, session, replay, presences)
}

async function sendReplay(
  gateway: GatewayContext,
  session: Session,
  { missed, position, houses, privateRoomIds }: Replay,
  presences: readonly Payload[],
): Promise<void> {
  const { registry } = gateway
  session.setStart(position, [...houses.keys(), ...privateRoomIds])
  for (const [id, rooms] of houses) registry.enterHouse(session, id, rooms)
  for (const id of privateRoomIds) registry.enterPrivateRoom(session, id)
  for (let next = 0; next < missed.length; next += eventsAtOnce) {
    await session.connection.drained()
    if (!session.connection.isOpen) return
    const part = missed
      .slice(next, next + eventsAtOnce)
      .map((one) => prepare(gateway, one.event, one.position))
    for (const pending of part) await pending.sendTo(session)
  }
  session.answer(payload('RESUMED', { session_id: session.id, seq: session.seq }))
  for (const presence of presences) session.answer(presence)
}

/** The presences that may have changed since a position, as they are now; undefined where they are too many. */
async function readPresences(
  { db, bus }: GatewayContext,
  userId: string,
  position: number,
): Promise<Payload[] | undefined> {
  const recent = bus.presencesChangedSince(position)
  if (recent?.length === 0) return []
  // Where it is not known who has changed, or these are many, all are sent.
  const changed = recent && recent.length <= maxReplayedEvents ? recent : undefined
  const [contacts, houseIds] = await Promise.all([
    listContacts(db, userId),
    listHousesWithPresence(db, userId),
  ])
  const isTooMuch = !changed && (await countMembers(db, houseIds, maxReplayedEvents + 1)) > maxReplayedEvents
  if (isTooMuch) return undefined
  const isChanged = changed && new Set(changed)
  const contactIds = contacts.map((contact) => contact.user_id).filter((id) => isChanged?.has(id) ?? true)
  const blockers = new Set(await listBlockersAmong(db, userId, contactIds))
  const shown = contactIds.filter((id) => !blockers.has(id))
  const [users, ...members] = await Promise.all([
    listGatewayUsers(db, shown),
    ...houseIds.map((id) =>
      changed ? listMembersById(db, id, changed) : listLongestMembersOfHouses(db, [id], maxReplayedEvents),
    ),
  ])
  const others = members.flat().filter((row) => row.user_id !== userId)
  return [
    ...users.map((row) => payload('PRESENCE_UPDATE', serializeGatewayUser(row))),
    ...others.map((row) => memberPresence(row, presenceOf(row.user_id))),
  ]
}
