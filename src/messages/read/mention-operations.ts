import type { Db } from '../../database/client.ts'
import { findBlocked, listBlockedIds } from '../../friendships/block-queries.ts'
import { isId } from '../../ids.ts'
import { mentionsIn } from '../../markdown/references.ts'
import { listReadable } from '../../rooms/access-operations.ts'
import { canRead } from '../../rooms/permissions.ts'
import { findRoomAccess } from '../../rooms/queries.ts'
import { type AuthorRow, findAuthor } from '../queries.ts'
import { type Excluded, listMentionRoomIds, listMentions, type MentionRow } from './mention-queries.ts'
import { type ListedMessageRow, listMessages, type Page } from './page-queries.ts'

/** Distinct mentions recorded per message (docs/api.md#counts-and-sizes). */
export const maxMentions = 50

/**
 * The ids that a text mentions as `<@ID>` or `<@!ID>`, but not in code, addresses or behind a backslash, each once, in order
 * of first appearance; before them the author of the message that it replies to, if they count as mentioned.
 */
export function mentionedIn(content: string, replyMention: string | null): string[] {
  const first = replyMention === null ? [] : [replyMention]
  const ids = mentionsIn(content).map(({ id }) => id)
  return [...new Set([...first, ...ids])].filter(isId)
}

/** The most rows of a message with a content: its own, and one for each mention, were none in code. */
export function rowsOfMessage({ content }: { content?: unknown }): number {
  const mentions = typeof content === 'string' ? (content.match(/<@!?\d{1,19}>/g) ?? []) : []
  return 1 + Math.min(new Set(mentions).size, maxMentions)
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

/**
 * A page of the messages that mention a user in rooms they can read now, without those by users whom they block or
 * restrict (docs/api.md#streams), newest first.
 */
export async function listOwnMentions(db: Db, userId: string, page: Page): Promise<ListedMessageRow[]> {
  for (let reading = 1; ; reading += 1) {
    const { count, messages } = await readMentions(db, userId, page)
    if (messages.length === count || reading === maxReadings) return messages
  }
}

/** The messages of a page that exist, and how many mentions it has. */
async function readMentions(
  db: Db,
  userId: string,
  page: Page,
): Promise<{ count: number; messages: ListedMessageRow[] }> {
  const mentions = await listMentions(db, userId, page)
  if (mentions.length === 0) return { count: 0, messages: [] }
  // Nearly all pages are as they are read first, so their messages are read beside the checks.
  const [isShown, messages] = await Promise.all([
    isAllShown(db, userId, mentions),
    listMentioning(db, mentions),
  ])
  if (isShown) return { count: mentions.length, messages }
  const shown = await listMentions(db, userId, page, await findExcluded(db, userId))
  return { count: shown.length, messages: await listMentioning(db, shown) }
}

function listMentioning(db: Db, mentions: readonly MentionRow[]): Promise<ListedMessageRow[]> {
  return listMessages(
    db,
    mentions.map((mention) => mention[1]),
    mentions.map((mention) => mention[0]),
  )
}

/** Whether a user can read the rooms of these mentions, and blocks and restricts none of their authors. */
async function isAllShown(db: Db, user_id: string, mentions: readonly MentionRow[]): Promise<boolean> {
  const rooms = new Set(mentions.map((mention) => mention[1]))
  const authors = new Set(mentions.map((mention) => mention[2]))
  const [blocked, readable] = await Promise.all([
    findBlocked(db, user_id, [...authors]),
    listReadable(db, user_id, [...rooms]),
  ])
  return blocked.size === 0 && readable.size === rooms.size
}

/** The rooms with mentions of a user that they cannot read, and everybody whom they block or restrict. */
async function findExcluded(db: Db, userId: string): Promise<Excluded> {
  const ids = await listMentionRoomIds(db, userId)
  const readable = await listReadable(db, userId, ids)
  return { rooms: ids.filter((id) => !readable.has(id)), authors: await listBlockedIds(db, userId) }
}
