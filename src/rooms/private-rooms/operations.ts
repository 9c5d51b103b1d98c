import type { Db } from '../../database/client.ts'
import { ApiError, fieldsInvalid, fieldsRequired, limitReached } from '../../errors.ts'
import { type Change, commit, type Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { canContact, canSeeEachOther } from '../../friendships/permissions.ts'
import { listBlocksBetween } from '../../friendships/queries.ts'
import { asId, newId } from '../../ids.ts'
import { lockUserAmong, shareUserLocks } from '../../users/lock-queries.ts'
import type { Room } from '../schemas.ts'
import { getRoomFor, maxGroupSize } from './group-operations.ts'
import { countGroupsOf, findPairRoomId, insertGroup, insertPairRoom, insertRecipients } from './queries.ts'
import type { CreatePrivateRoom } from './schemas.ts'

/** Groups that a user may create and own (docs/api.md#counts-and-sizes). Ownership passes to them beyond this limit. */
export const maxOwnedGroups = 200

/**
 * Returns the one-to-one room of the caller and `recipient`, which is created if there is none, or creates a group of
 * all named users (docs/api.md#private-rooms). `countNew` counts a new room against a rate limit before it is created.
 * Throws `invalid_schema`, `user_not_found`, `no_permission`, `limit_reached`.
 */
export async function createPrivateRoom(
  db: Db,
  callerId: string,
  fields: CreatePrivateRoom,
  countNew: () => Promise<void>,
): Promise<Outcome<Room>> {
  const others = othersNamed(fields, callerId)
  if (fields.recipients == null) return openOneToOne(db, callerId, others[0]!, countNew)
  return createGroup(db, callerId, others, fields.name ?? null, countNew)
}

/** The users that a body names, each once and without the caller. Throws `invalid_schema`. */
function othersNamed(fields: CreatePrivateRoom, callerId: string): string[] {
  const named = new Set(fields.recipients ?? [])
  if (fields.recipient != null) named.add(fields.recipient)
  named.delete(callerId)
  if (named.size === 0) throw fieldsRequired('recipient')
  if (named.size > maxGroupSize - 1) throw fieldsInvalid('recipients')
  return [...named].map(asId)
}

/** Finds or creates the room of a pair. A restriction by the other user prevents only creation. */
function openOneToOne(
  db: Db,
  callerId: string,
  otherId: string,
  countNew: () => Promise<void>,
): Promise<Outcome<Room>> {
  return commit(db, async (trx) => {
    const present = await shareUserLocks(trx, [callerId, otherId])
    if (present.length < 2) throw new ApiError('user_not_found')
    const blocks = await listBlocksBetween(trx, callerId, [otherId])
    if (!canSeeEachOther(blocks)) throw new ApiError('no_permission')
    const existingId = await findPairRoomId(trx, callerId, otherId)
    if (existingId !== undefined) return { answer: await getRoomFor(trx, existingId, callerId), events: [] }
    if (!canContact(blocks, callerId)) throw new ApiError('no_permission')
    await countNew()
    return createOneToOne(trx, callerId, otherId)
  })
}

/** Creates the room of a pair, or finds one that was created concurrently: the unique index decides. */
async function createOneToOne(trx: Db, callerId: string, otherId: string): Promise<Change<Room>> {
  const id = newId()
  if (!(await insertPairRoom(trx, id, callerId, otherId))) {
    const existingId = await findPairRoomId(trx, callerId, otherId)
    return { answer: await getRoomFor(trx, existingId!, callerId), events: [] }
  }
  return addParticipants(trx, id, [callerId, otherId])
}

function createGroup(
  db: Db,
  callerId: string,
  otherIds: string[],
  name: string | null,
  countNew: () => Promise<void>,
): Promise<Outcome<Room>> {
  return commit(db, async (trx) => {
    // The caller's lock is exclusive: the count includes groups that are created concurrently.
    const present = await lockUserAmong(trx, callerId, otherIds)
    if (present.length < otherIds.length + 1) throw new ApiError('user_not_found')
    const blocks = await listBlocksBetween(trx, callerId, otherIds)
    if (!canContact(blocks, callerId)) throw new ApiError('no_permission')
    if ((await countGroupsOf(trx, callerId)) >= maxOwnedGroups) throw limitReached('groups')
    await countNew()
    const id = newId()
    await insertGroup(trx, { id, owner_id: callerId, name })
    return addParticipants(trx, id, [callerId, ...otherIds])
  })
}

/** Adds the participants of a new room, the caller first. */
async function addParticipants(trx: Db, roomId: string, userIds: string[]): Promise<Change<Room>> {
  await insertRecipients(trx, roomId, userIds)
  const events = userIds.map(
    (user_id): HearthEvent => ({ type: 'private_room_entered', room_id: roomId, user_id }),
  )
  return { answer: await getRoomFor(trx, roomId, userIds[0]!), events }
}
