import type { Db } from '../db/client.ts'
import { isId } from '../ids.ts'
import { canRead } from '../rooms/permissions.ts'
import { findRoomAccess } from '../rooms/queries.ts'
import { listMentionRooms, listMentions } from './mention-queries.ts'
import { findSpeaker, type ListedMessageRow, listMessages, type Page, type SpeakerRow } from './queries.ts'

/** Distinct mentions recorded per message (PROTOCOL 1.6). */
const maxMentions = 50

/** The ids mentioned in a text as `<@ID>` or `<@!ID>`, each once, in order of first appearance. */
export function mentionedIn(content: string): string[] {
  if (!content.includes('<@')) return []
  const ids = [...content.matchAll(/<@!?([0-9]{1,19})>/g)].map((match) => match[1]!)
  return [...new Set(ids)].filter(isId)
}

/** Those of the ids that are recorded as mentioned: existing accounts that can read the room, the first 50, in order. */
export async function listMentioned(db: Db, room_id: string, ids: readonly string[]): Promise<SpeakerRow[]> {
  if (ids.length === 0) return []
  const found = await Promise.all(
    ids.map(async (user_id) => {
      const key = { room_id, user_id }
      const [access, speaker] = await Promise.all([findRoomAccess(db, key), findSpeaker(db, key)])
      return canRead(access) && speaker && !speaker.is_deleted ? speaker : undefined
    }),
  )
  return found.filter((speaker) => speaker !== undefined).slice(0, maxMentions)
}

/** A page of the messages that mention a user in rooms they can read now (API 4.4), newest first. */
export async function listOwnMentions(db: Db, userId: string, page: Page): Promise<ListedMessageRow[]> {
  let rooms = await listMentions(db, userId, page, [])
  if (!rooms.every(canRead)) {
    // The page must be cut anew without what they cannot read: rare, so that most pages need no list of rooms.
    const all = await listMentionRooms(db, userId)
    const unreadable = all.filter((access) => !(canRead(access) as boolean)).map((access) => access.room_id)
    rooms = (await listMentions(db, userId, page, unreadable)).filter(canRead)
  }
  return listMessages(
    db,
    rooms.map((room) => room.room_id),
    rooms.flatMap((room) => room.message_ids),
  )
}
