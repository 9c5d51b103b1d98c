import type { Db } from '../../database/client.ts'
import { presenceOf } from '../../events/presence.ts'
import { listBlockersAmong } from '../../friendships/contact-queries.ts'
import { relationshipType } from '../../friendships/permissions.ts'
import { listRelations } from '../../friendships/queries.ts'
import type { Relationship } from '../../friendships/schemas.ts'
import { serializeRelationship } from '../../friendships/serializers.ts'
import { listMembershipsOf } from '../../houses/members/gateway-queries.ts'
import type { MemberRow } from '../../houses/members/queries.ts'
import { serializeMember } from '../../houses/members/serializers.ts'
import { findHouseSummary, type HouseSummaryRow } from '../../houses/queries.ts'
import { greatestId } from '../../ids.ts'
import { readReadStates } from '../../read-states/list-operations.ts'
import { readPrivateRooms } from '../../rooms/private-rooms/list-operations.ts'
import { listPrivateRoomPlaces, type RoomPlace } from '../../rooms/private-rooms/queries.ts'
import { findSettings } from '../../settings/queries.ts'
import { findUser, listGatewayUsers } from '../../users/queries.ts'
import type { GatewayUser } from '../../users/schemas.ts'
import { serializeOwnGatewayUser } from '../../users/serializers.ts'
import { maxEventBytes, maxPrivateRooms } from '../settings.ts'
import type { Payload } from '../transport/frames.ts'
import type { Session } from './session.ts'

/** A house that INIT_STATE names, with the own membership. */
export type AnnouncedHouse = { house: HouseSummaryRow; own: MemberRow & { room_count: number } }

type State = { event: Payload; houses: AnnouncedHouse[]; privateRoomIds: string[] }

/** Related users that are read at once. */
const usersAtOnce = 500
/** The keys of INIT_STATE with their punctuation. */
const keyBytes = 256

/** The bytes that are left of a frame, which is filled with the most important first. */
class FrameBudget {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** Takes the bytes of a text and a comma. Where it does not fit, nothing less important fits, however short. */
  take(text: string): boolean {
    const bytes = Buffer.byteLength(text) + 1
    const fits = bytes <= this.#left
    this.#left = fits ? this.#left - bytes : 0
    return fits
  }

  /** Takes items until one does not fit. What follows that one is not read. */
  async fill<Item>(items: AsyncIterable<Item>, write: (item: Item) => string) {
    const texts: string[] = []
    const listed: Item[] = []
    for await (const item of items) {
      const text = write(item)
      if (!this.take(text)) break
      texts.push(text)
      listed.push(item)
    }
    return { texts, listed }
  }
}

/** The private rooms that INIT_STATE names: those with the latest activity. */
export function listAnnouncedRooms(db: Db, userId: string): Promise<RoomPlace[]> {
  return listPrivateRoomPlaces(db, userId, { before: greatestId, limit: maxPrivateRooms })
}

/**
 * INIT_STATE, and what it names. Undefined when the account is gone. The number of statements does not depend on the number
 * of houses. What no longer fits into the frame is not read.
 */
export async function loadState(db: Db, session: Session): Promise<State | undefined> {
  const userId = session.userId
  const [user, settings, memberships, places] = await Promise.all([
    findUser(db, userId),
    findSettings(db, userId),
    listMembershipsOf(db, userId),
    listAnnouncedRooms(db, userId),
  ])
  const summaries = await Promise.all(memberships.map((own) => findHouseSummary(db, own.house_id)))
  if (!user) return undefined
  const houses = summaries.flatMap((house, place) => (house ? [{ house, own: memberships[place]! }] : []))
  const houseIds = houses.map(({ house }) => house.id)
  const [self, ownSettings, ids] = [serializeOwnGatewayUser(user), settings, houseIds].map((one) =>
    JSON.stringify(one),
  )
  const space = new FrameBudget(maxEventBytes - keyBytes)
  for (const text of [self!, ownSettings!, ids!]) space.take(text)
  const entries = membershipEntries(space, houses)
  const relations = await space.fill(readRelations(db, userId), (one) => entryOf(one.user_id, one))
  const read = await space.fill(readReadStates(db, userId), ([roomId, state]) => entryOf(roomId, state))
  const rooms = await space.fill(readPrivateRooms(db, userId, places), (room) => JSON.stringify(room))
  const friends = relations.listed.filter((one) => one.type === relationshipType.friends)
  const contacts = [
    ...friends.map((one) => one.user),
    ...rooms.listed.flatMap((room) => room.recipients ?? []),
  ]
  const online = await space.fill(readOnline(db, userId, contacts), (one) => entryOf(one.id, one))
  const parts = [
    `"user":${self}`,
    `"settings":${ownSettings}`,
    `"relationships":{${relations.texts.join()}}`,
    `"read_state":{${read.texts.join()}}`,
    `"private_rooms":[${rooms.texts.join()}]`,
    `"presences":{${online.texts.join()}}`,
    `"house_memberships":{${entries.join()}}`,
    `"house_ids":${ids}`,
    `"session_id":"${session.id}"`,
  ]
  const event: Payload = { name: 'INIT_STATE', json: `{${parts.join()}}` }
  return { event, houses, privateRoomIds: rooms.listed.map((room) => room.id) }
}

function entryOf(id: string, value: unknown): string {
  return `"${id}":${JSON.stringify(value)}`
}

/** All own memberships, without their roles where these do not fit. */
function membershipEntries(space: FrameBudget, houses: readonly AnnouncedHouse[]): string[] {
  const bare = houses.map(({ own }) => entryOf(own.house_id, serializeMember({ ...own, roles: [] })))
  for (const text of bare) space.take(text)
  return houses.map(({ own }, place) => {
    const { roles } = serializeMember(own)
    if (roles.length === 0 || !space.take(JSON.stringify(roles))) return bare[place]!
    return entryOf(own.house_id, serializeMember(own))
  })
}

type InitRelation = Pick<Relationship, 'user_id' | 'user' | 'type' | 'last_updated_at'>

/** Friends first, requests of others last. */
async function* readRelations(db: Db, userId: string): AsyncGenerator<InitRelation> {
  const relations = await listRelations(db, userId)
  for (let start = 0; start < relations.length; start += usersAtOnce) {
    const part = relations.slice(start, start + usersAtOnce)
    const rows = await listGatewayUsers(
      db,
      part.map((relation) => relation.other_id),
    )
    const users = new Map(rows.map((row) => [row.id, row]))
    for (const relation of part) {
      const other = users.get(relation.other_id)
      if (!other) continue
      const { user_id, user, type, last_updated_at } = serializeRelationship(other, relation, userId)
      yield { user_id, user, type, last_updated_at }
    }
  }
}

/** Those of these users who are online and have not blocked the user. */
async function* readOnline(
  db: Db,
  userId: string,
  users: readonly GatewayUser[],
): AsyncGenerator<GatewayUser> {
  const online = new Map(users.filter(({ id }) => presenceOf(id) === 'online').map((user) => [user.id, user]))
  online.delete(userId)
  for (const id of await listBlockersAmong(db, userId, [...online.keys()])) online.delete(id)
  for (const user of online.values()) yield { ...user, presence: 'online' }
}
