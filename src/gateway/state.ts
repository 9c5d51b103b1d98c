import type { Db } from '../db/client.ts'
import { presenceOf } from '../events/presence.ts'
import { listBlockerIds } from '../friendships/contact-queries.ts'
import { relationship } from '../friendships/forms.ts'
import { relationshipType } from '../friendships/permissions.ts'
import { listRelationships } from '../friendships/queries.ts'
import { findHouseContents, type HouseContents } from '../houses/contents-queries.ts'
import { member } from '../members/forms.ts'
import { listMembershipsOf } from '../members/gateway-queries.ts'
import type { MemberRow } from '../members/queries.ts'
import { listReadStates } from '../read-states/operations.ts'
import { room } from '../rooms/forms.ts'
import { listPrivateRooms } from '../rooms/private-room-queries.ts'
import { findSettings } from '../settings/queries.ts'
import { gatewayUser, ownGatewayUser } from '../users/forms.ts'
import { findUser } from '../users/queries.ts'
import { type Payload, payload } from './frames.ts'
import type { InitState } from './schemas.ts'
import type { Session } from './session.ts'
import { maxEventBytes } from './settings.ts'

/** A house that the session will be told of, with the user's membership in it. */
export type Announced = { contents: HouseContents; own: MemberRow }

type State = { event: Payload; houses: Announced[]; privateRoomIds: string[] }

/**
 * The state that a client is sent at login, with these houses and private rooms and no others: events of these are
 * already being held. Undefined when the account is gone. Takes a dozen statements, however many houses there are.
 */
export async function loadState(
  db: Db,
  session: Session,
  known: { houseIds: readonly string[]; roomIds: readonly string[] },
): Promise<State | undefined> {
  const userId = session.userId
  const [user, settings, relations, readStates, rooms, blockers, memberships, contents] = await Promise.all([
    findUser(db, userId),
    findSettings(db, userId),
    listRelationships(db, userId),
    listReadStates(db, userId),
    listPrivateRooms(db, userId),
    listBlockerIds(db, userId),
    listMembershipsOf(db, userId),
    Promise.all(known.houseIds.map((id) => findHouseContents(db, id))),
  ])
  if (!user) return undefined
  const own = new Map(memberships.map((row) => [row.house_id, row]))
  const houses = contents.flatMap((one) => {
    const membership = one && own.get(one.house.id)
    return membership ? [{ contents: one, own: membership }] : []
  })
  const privateRooms = rooms.filter((row) => known.roomIds.includes(row.id))
  const others = new Map([
    ...relations.filter((row) => row.type === relationshipType.friends).map((row) => [row.id, row] as const),
    ...privateRooms.flatMap((row) => row.participants.map((user) => [user.id, user] as const)),
  ])
  others.delete(userId)
  for (const id of blockers) others.delete(id)
  const online = [...others.values()].filter((other) => presenceOf(other.id) === 'online')
  const state: InitState = {
    user: ownGatewayUser(user),
    settings,
    relationships: Object.fromEntries(
      relations.map((row) => {
        const { user_id, user, type, last_updated_at } = relationship(row, row, userId)
        return [user_id, { user_id, user, type, last_updated_at }]
      }),
    ),
    read_state: readStates,
    private_rooms: privateRooms.map((row) => room(row, userId)),
    presences: Object.fromEntries(online.map((other) => [other.id, gatewayUser(other)])),
    house_memberships: Object.fromEntries(houses.map(({ own }) => [own.house_id, member(own)])),
    house_ids: houses.map(({ own }) => own.house_id),
    session_id: session.id,
  }
  const event = fitState(state)
  return { event, houses, privateRoomIds: state.private_rooms.map((one) => one.id) }
}

/**
 * The event. To make it fit into a frame, presences are left out first, then the private rooms longest without
 * activity. Where that is not enough, relations go: others can send requests by the hundred, and be long.
 */
function fitState(state: InitState): Payload {
  const event = payload('INIT_STATE', state)
  let excess = Buffer.byteLength(event.json) - maxEventBytes
  if (excess <= 0) return event
  for (const [id, user] of Object.entries(state.presences)) {
    if (excess <= 0) break
    excess -= Buffer.byteLength(JSON.stringify(user))
    delete state.presences[id]
  }
  while (excess > 0 && state.private_rooms.length > 0) {
    excess -= Buffer.byteLength(JSON.stringify(state.private_rooms.pop()))
  }
  for (const [id, relation] of leastMissedFirst(state.relationships)) {
    if (excess <= 0) break
    excess -= Buffer.byteLength(JSON.stringify(relation))
    delete state.relationships[id]
  }
  return payload('INIT_STATE', state)
}

/** The requests of others, one's own, whom one restricts and blocks, friends. */
function leastMissedFirst(relations: InitState['relationships']) {
  const { incomingRequest, outgoingRequest, restricted, blocked, friends } = relationshipType
  const order: number[] = [incomingRequest, outgoingRequest, restricted, blocked, friends]
  return Object.entries(relations).sort(
    ([, one], [, other]) => order.indexOf(one.type) - order.indexOf(other.type),
  )
}
