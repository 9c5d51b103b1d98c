import type { Db } from '../../database/client.ts'
import { readPages } from '../../database/pages.ts'
import { listRelations } from '../../friendships/queries.ts'
import { idTimeMs, unknownId } from '../../ids.ts'
import { attachmentFile, visibleName } from '../../messages/attachments/queries.ts'
import { isoTime } from '../../messages/serializers.ts'
import { findSettings } from '../../settings/queries.ts'
import { openFile, type Store } from '../../storage/store.ts'
import { jsonLines, type ZipEntry } from '../../storage/zip.ts'
import { listGatewayUsers } from '../../users/queries.ts'
import {
  findNextWrittenRoom,
  getExportedUser,
  listExportedBots,
  listExportedHouses,
  listExportedPrivateRooms,
  listExportedPushSubscriptions,
  listExportedSessions,
  listOwnMessages,
  type OwnMessageRow,
  type WrittenRoom,
} from './content-queries.ts'

const rowsAtOnce = 500
/** The names of all files of an archive are in memory until its end. */
const maxFiles = 50_000

const relationNames: Record<number, string> = {
  1: 'request sent',
  2: 'request received',
  3: 'friend',
  4: 'restricted',
  5: 'blocked',
}

/** What the archive of an account is made from; `advance` is called after each message and file. */
export type ArchiveSource = { db: Db; store: Store; user_id: string; advance: () => void }

/** The files of the archive of an account (docs/api.md#accounts), one after the other. */
export async function* archiveAccount(source: ArchiveSource): AsyncGenerator<ZipEntry> {
  const { db, user_id } = source
  const user = await getExportedUser(db, user_id)
  const sessions = await listExportedSessions(db, user_id)
  const push_subscriptions = await listExportedPushSubscriptions(db, user_id)
  const bots = await listExportedBots(db, user_id)
  yield jsonFile('account.json', { ...user, sessions, push_subscriptions, bots })
  yield jsonFile('settings.json', await findSettings(db, user_id))
  yield { name: 'relationships.jsonl', content: jsonLines(relationships(source)) }
  yield jsonFile('houses.json', await listExportedHouses(db, user_id))
  yield { name: 'private-rooms.jsonl', content: jsonLines(privateRooms(source)) }
  const rooms: WrittenRoom[] = []
  let files = 0
  for (let after = unknownId; ; ) {
    const room = await findNextWrittenRoom(db, user_id, after)
    if (!room) break
    after = room.id
    rooms.push(room)
    yield { name: `messages/${room.id}.jsonl`, content: jsonLines(messagesIn(source, room.id)) }
    for await (const message of ownMessages(source, room.id, true)) {
      source.advance()
      const opened = files < maxFiles && (await openFile(source.store, fileOf(room.id, message)))
      if (!opened) continue
      files += 1
      yield { name: archivedName(room.id, message), content: opened.content, isPacked: true }
    }
  }
  yield jsonFile('rooms.json', rooms)
}

async function* relationships({ db, user_id }: ArchiveSource): AsyncGenerator<object> {
  const relations = await listRelations(db, user_id)
  for (let first = 0; first < relations.length; first += rowsAtOnce) {
    const page = relations.slice(first, first + rowsAtOnce)
    const users = await listGatewayUsers(
      db,
      page.map(({ other_id }) => other_id),
    )
    const usernames = new Map(users.map(({ id, username }) => [id, username]))
    for (const { other_id, type, last_updated_at } of page) {
      yield {
        id: other_id,
        username: usernames.get(other_id),
        relation: relationNames[type],
        since: last_updated_at,
      }
    }
  }
}

function privateRooms({ db, user_id }: ArchiveSource): AsyncGenerator<object> {
  return readPages<{ id: string }>(rowsAtOnce, (last, limit) =>
    listExportedPrivateRooms(db, user_id, { after: last?.id ?? unknownId, limit }),
  )
}

async function* messagesIn(source: ArchiveSource, roomId: string): AsyncGenerator<object> {
  for await (const message of ownMessages(source, roomId, false)) {
    const { id, content, mentions, edited_at, attachment } = message
    source.advance()
    yield {
      id,
      timestamp: isoTime(idTimeMs(id)),
      edited_at,
      content,
      mentions,
      attachment: attachment && {
        filename: visibleName(attachment.filename),
        content_type: attachment.content_type,
        size: attachment.size,
        file: archivedName(roomId, message),
      },
    }
  }
}

function ownMessages(
  { db, user_id }: ArchiveSource,
  room_id: string,
  onlyFiles: boolean,
): AsyncGenerator<OwnMessageRow> {
  return readPages<OwnMessageRow>(rowsAtOnce, (last, limit) =>
    listOwnMessages(db, { user_id, room_id }, { after: last?.id ?? unknownId, limit, onlyFiles }),
  )
}

function fileOf(roomId: string, { attachment }: OwnMessageRow): string {
  return attachmentFile(roomId, attachment!.key)
}

/** The id makes a name such as `..` harmless. */
function archivedName(roomId: string, { id, attachment }: OwnMessageRow): string {
  return `attachments/${roomId}/${id}-${visibleName(attachment!.filename)}`
}

function jsonFile(name: string, value: unknown): ZipEntry {
  return { name, content: jsonLines([value], 2) }
}
