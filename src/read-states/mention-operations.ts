import type { Db } from '../database/client.ts'
import type { EventOf } from '../events/events.ts'
import { isGreaterId, unknownId } from '../ids.ts'
import type { MentionKey } from '../messages/queries.ts'
import { listReadMarks } from './queries.ts'

/**
 * An event for each user and room whose number of unread mentions changes, as these mentions came or went: those that the
 * user has read are not counted anyway.
 */
export async function readStateEvents(
  db: Db,
  mentions: readonly MentionKey[],
): Promise<EventOf<'read_state_updated'>[]> {
  if (mentions.length === 0) return []
  const marks = await listReadMarks(db, mentions)
  const isUnread = ({ user_id, room_id, message_id }: MentionKey) =>
    isGreaterId(message_id, marks.get(`${user_id} ${room_id}`) ?? unknownId)
  const changed = mentions.filter(isUnread).map(({ user_id, room_id }) => ({ user_id, room_id }))
  const each = new Map(changed.map((one) => [`${one.user_id} ${one.room_id}`, one]))
  return [...each.values()].map((one) => ({ type: 'read_state_updated', ...one }))
}
