import type { Db } from '../../database/client.ts'
import { isId } from '../../ids.ts'
import { canRead } from '../../rooms/permissions.ts'
import { findRoomAccess } from '../../rooms/queries.ts'
import { type AuthorRow, findAuthor } from '../queries.ts'
import { listMentionRooms, listMentions, type RoomMentionsRow } from './mention-queries.ts'
import { type ListedMessageRow, listMessages, type Page } from './page-queries.ts'

/** Distinct mentions recorded per message (docs/api.md#counts-and-sizes). */
export const maxMentions = 50

/**
 * The ids that a text mentions as `<@ID>` or `<@!ID>`, each once, in order of first appearance; before them the author of
 * the message that it replies to, if they count as mentioned.
 */
export function mentionedIn(content: string, replyMention: string | null): string[] {
  const first = replyMention === null ? [] : [replyMention]
  if (!content.includes('<@')) return first
  const ids = [...content.matchAll(/<@!?([0-9]{1,19})>/g)].map((match) => match[1]!)
  return [...new Set([...first, ...ids])].filter(isId)
}

/**
 * The users among the ids whose mentions are recorded: existing accounts that can read the room, in order, at most 50.
 */
export async function listMentioned(db: Db, room_id: string, ids: readonly string[]): Promise<AuthorRow[]> {
  if (ids.length === 0) return []
  const found = await Promise.all(
    ids.map(async (user_id) => {
      const key = { room_id, user_id }
      const [access, user] = await Promise.all([findRoomAccess(db, key), findAuthor(db, key)])
      return canRead(access) && user && !user.is_deleted ? user : undefined
    }),
  )
  return found.filter((user) => user !== undefined).slice(0, maxMentions)
}

/**
 * A page is read again if one of its messages is deleted concurrently, because a short page looks like the last one.
 */
const maxReadings = 3

/** A page of the messages that mention a user in rooms they can read now (docs/api.md#streams), newest first. */
export async function listOwnMentions(db: Db, userId: string, page: Page): Promise<ListedMessageRow[]> {
  for (let reading = 1; ; reading += 1) {
    const rooms = await listReadableMentions(db, userId, page)
    const places = rooms.map(({ room_id, message_ids }) => ({ room_id, ids: message_ids.split(',') }))
    const ids = places.flatMap((place) => place.ids)
    const roomIds = places.flatMap((place) => place.ids.map(() => place.room_id))
    const messages = await listMessages(db, roomIds, ids)
    if (messages.length === ids.length || reading === maxReadings) return messages
  }
}

async function listReadableMentions(db: Db, userId: string, page: Page): Promise<RoomMentionsRow[]> {
  const rooms = await listMentions(db, userId, page, [])
  if (rooms.every(canRead)) return rooms
  // Rare: the page is read again without the unreadable rooms. Most pages need no list of rooms.
  const all = await listMentionRooms(db, userId)
  const unreadable = all.filter((access): boolean => !canRead(access)).map((access) => access.room_id)
  return (await listMentions(db, userId, page, unreadable)).filter(canRead)
}
