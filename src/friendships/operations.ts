import type { Db } from '../database/client.ts'
import { ApiError, fieldsRequired, limitReached } from '../errors.ts'
import { type Change, commit, type Outcome } from '../events/commit.ts'
import type { HearthEvent } from '../events/events.ts'
import { lockUsers } from '../users/lock-queries.ts'
import { findGatewayUser, type GatewayUserRow } from '../users/queries.ts'
import {
  deleteBlock,
  deleteFriendRequest,
  deleteFriendship,
  deleteRelationships,
  insertFriendRequest,
  insertFriendship,
  upsertBlock,
} from './change-queries.ts'
import { canBefriend, relationshipType } from './permissions.ts'
import { countBlocks, countRelationships, findRelation, listBlocksBetween, type Relation } from './queries.ts'
import type { Relationship } from './schemas.ts'
import { serializeRelationship } from './serializers.ts'

/** Friends and open requests of a user, both directions together (docs/api.md#counts-and-sizes). */
export const maxFriendsAndRequests = 1_000
/** Blocks of a user; restrictions of a user. */
export const maxBlocks = 1_000

/**
 * Sends a friend request, or accepts that of the other user; does nothing if they are friends or the request exists
 * (docs/gateway.md#relationships). Throws `invalid_schema` for the caller's own id, `user_not_found`, `no_permission`,
 * `limit_reached`, `no_auth`.
 */
export async function requestFriendship(
  db: Db,
  callerId: string,
  otherId: string,
): Promise<Outcome<Relationship>> {
  if (otherId === callerId) throw fieldsRequired('user_id')
  return commit(db, async (trx) => {
    const other = await lockPair(trx, callerId, otherId)
    if (!canBefriend(await listBlocksBetween(trx, callerId, [otherId]))) throw new ApiError('no_permission')
    const present = await findRelation(trx, callerId, otherId)
    if (present === undefined) return sendRequest(trx, callerId, other)
    if (present.type === relationshipType.incomingRequest) return acceptRequest(trx, callerId, other)
    return { answer: serializeRelationship(other, present, callerId), events: [] }
  })
}

async function sendRequest(trx: Db, callerId: string, other: GatewayUserRow): Promise<Change<Relationship>> {
  if ((await countRelationships(trx, [callerId, other.id])) >= maxFriendsAndRequests) {
    throw limitReached('friends')
  }
  const { last_updated_at } = await insertFriendRequest(trx, callerId, other.id)
  const mine = { type: relationshipType.outgoingRequest, last_updated_at }
  const theirs = { type: relationshipType.incomingRequest, last_updated_at }
  return {
    answer: serializeRelationship(other, mine, callerId),
    events: [updated(callerId, other.id, mine), updated(other.id, callerId, theirs)],
  }
}

async function acceptRequest(
  trx: Db,
  callerId: string,
  other: GatewayUserRow,
): Promise<Change<Relationship>> {
  // The request was withdrawn concurrently: send one instead.
  if (!(await deleteFriendRequest(trx, callerId, other.id))) return sendRequest(trx, callerId, other)
  const { last_updated_at } = await insertFriendship(trx, callerId, other.id)
  const friends = { type: relationshipType.friends, last_updated_at }
  return {
    answer: serializeRelationship(other, friends, callerId),
    events: updatedBoth(callerId, other.id, friends),
  }
}

/** Cancels the caller's friend request, or declines that of the other user. Throws `friend_request_not_found`. */
export async function withdrawFriendRequest(
  db: Db,
  callerId: string,
  otherId: string,
): Promise<Outcome<Relationship>> {
  return commit(db, async (trx) => {
    if (!(await deleteFriendRequest(trx, callerId, otherId))) throw new ApiError('friend_request_not_found')
    const nothing = noRelation()
    const other = await findGatewayUser(trx, otherId)
    return {
      answer: serializeRelationship(other!, nothing, callerId),
      events: updatedBoth(callerId, otherId, nothing),
    }
  })
}

/** Ends a friendship (docs/api.md#relationships). Throws `not_friends`, also for unknown ids. */
export async function unfriend(db: Db, callerId: string, friendId: string): Promise<Outcome<null>> {
  return commit(db, async (trx) => {
    if (!(await deleteFriendship(trx, callerId, friendId))) throw new ApiError('not_friends')
    return { answer: null, events: updatedBoth(callerId, friendId, noRelation()) }
  })
}

/**
 * Blocks (5) or restricts (4) a user: friendship and requests end, a block by the other user stays
 * (docs/gateway.md#relationships). Throws `invalid_schema` for the caller's own id, `user_not_found`, `no_auth`,
 * `limit_reached`.
 */
export async function setBlock(
  db: Db,
  callerId: string,
  otherId: string,
  type: 4 | 5,
): Promise<Outcome<Relationship>> {
  if (otherId === callerId) throw fieldsRequired('user_id')
  return commit(db, async (trx) => {
    const other = await lockPair(trx, callerId, otherId)
    const before = await findRelation(trx, callerId, otherId)
    if (before?.type === type) return { answer: serializeRelationship(other, before, callerId), events: [] }
    if ((await countBlocks(trx, callerId, type)) >= maxBlocks) {
      throw limitReached(type === relationshipType.blocked ? 'blocks' : 'restrictions')
    }
    const { last_updated_at } = await upsertBlock(trx, callerId, otherId, type)
    const mine = { type, last_updated_at }
    const events = [updated(callerId, otherId, mine)]
    if (before !== undefined && before.type <= relationshipType.friends) {
      await deleteFriendRequest(trx, callerId, otherId)
      await deleteFriendship(trx, callerId, otherId)
      events.push(updated(otherId, callerId, { type: relationshipType.none, last_updated_at }))
    }
    return { answer: serializeRelationship(other, mine, callerId), events }
  })
}

/** Lifts a block (5) or restriction (4); any other relation stays. Throws `user_not_found`, `no_auth`. */
export async function liftBlock(
  db: Db,
  callerId: string,
  otherId: string,
  type: 4 | 5,
): Promise<Outcome<Relationship>> {
  return commit(db, async (trx) => {
    const other = await lockPair(trx, callerId, otherId)
    const isLifted = await deleteBlock(trx, callerId, otherId, type)
    const now = (await findRelation(trx, callerId, otherId)) ?? noRelation()
    const events = isLifted ? [updated(callerId, otherId, now)] : []
    return { answer: serializeRelationship(other, now, callerId), events }
  })
}

/**
 * Ends all relations of a locked account, in the transaction that deletes it. Returns the events for the other users.
 */
export async function endRelationships(trx: Db, userId: string): Promise<HearthEvent[]> {
  const others = await deleteRelationships(trx, userId)
  const nothing = noRelation()
  return others.map((otherId) => updated(otherId, userId, nothing))
}

/**
 * Locks two accounts in id order, against other changes of their relations, and returns the other user. Throws
 * `user_not_found`, and `no_auth` if the caller was deleted after the token was checked.
 */
async function lockPair(trx: Db, callerId: string, otherId: string): Promise<GatewayUserRow> {
  const present = await lockUsers(trx, [callerId, otherId])
  if (!present.some((user) => user.id === callerId)) throw new ApiError('no_auth')
  const other = present.find((user) => user.id === otherId)
  if (!other) throw new ApiError('user_not_found')
  return other
}

function noRelation(): Relation {
  return { type: relationshipType.none, last_updated_at: new Date() }
}

function updated(userId: string, otherId: string, relation: Relation): HearthEvent {
  return {
    type: 'relationship_updated',
    user_id: userId,
    other_id: otherId,
    relationship_type: relation.type,
    last_updated_at: relation.last_updated_at.toISOString(),
  }
}

function updatedBoth(one: string, other: string, relation: Relation): HearthEvent[] {
  return [updated(one, other, relation), updated(other, one, relation)]
}
