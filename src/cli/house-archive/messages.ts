import type { Db } from '../../database/client.ts'
import {
  createStage,
  moveTakenMessages,
  placeMessages,
  type StagedMessage,
  stageMessages,
} from '../../houses/archive/import-queries.ts'
import { isGreaterId } from '../../ids.ts'
import { storeAttachment } from '../../messages/attachments/operations.ts'
import { attachmentFile } from '../../messages/attachments/queries.ts'
import { cancelDiscard } from '../../storage/discard.ts'
import type { Store } from '../../storage/store.ts'
import { CliError } from '../command.ts'
import { attachmentName, Message, messagesName } from './format.ts'
import { checkId, mustHave } from './ids.ts'
import type { Archive } from './read.ts'

const atOnce = 500
const nodeNumbers = 1_024

export type MessageImport = {
  /** Not the transaction: what lists files until they are put to use. */
  db: Db
  trx: Db
  store: Store
  archive: Archive
  houseId: string
  rooms: ReadonlyMap<string, string>
  users: ReadonlyMap<string, string>
}

/** Imports the messages of all rooms with their files. Returns how many messages and files. */
export async function importMessages(source: MessageImport): Promise<{ messages: number; files: number }> {
  const { trx, archive, rooms, houseId } = source
  const counts = { messages: 0, files: 0 }
  await createStage(trx)
  for (const [oldRoomId, roomId] of rooms) {
    let last = '0'
    let batch: StagedMessage[] = []
    for await (const message of archive.readLines(messagesName(oldRoomId), Message)) {
      if (!isGreaterId(checkId(message.id), last))
        throw new CliError('The archive has messages out of order.')
      last = message.id
      batch.push(await readMessage(source, message, oldRoomId, roomId))
      if (batch.length === atOnce) {
        await flush(source, batch, counts)
        batch = []
      }
    }
    await flush(source, batch, counts)
  }
  // Each number is tried once: those of an earlier import of the same archive are taken.
  for (let node = nodeNumbers - 1; node >= 0 && (await moveTakenMessages(trx, node)) > 0; node -= 1);
  await placeMessages(trx, houseId)
  return counts
}

async function flush(
  { trx }: MessageImport,
  batch: StagedMessage[],
  counts: { messages: number; files: number },
) {
  if (batch.length === 0) return
  if (!(await stageMessages(trx, batch))) throw new CliError('The archive has two messages with one id.')
  const files = batch.flatMap(({ room_id, attachment }) =>
    attachment ? attachmentFile(room_id, (attachment as { key: string }).key) : [],
  )
  await cancelDiscard(trx, files)
  counts.messages += batch.length
  counts.files += files.length
}

async function readMessage(
  source: MessageImport,
  message: Message,
  oldRoomId: string,
  room_id: string,
): Promise<StagedMessage> {
  const { houseId, users } = source
  return {
    room_id,
    house_id: houseId,
    id: message.id,
    author_id: mustHave(users, message.author_id, 'user'),
    device_id: checkId(message.device_id),
    content: message.content,
    mentions: [...new Set(message.mentions.map((id) => mustHave(users, id, 'user')))],
    edited_at: message.edited_at,
    attachment: await readAttachment(source, message, oldRoomId, room_id),
  }
}

/** Stores the file of a message under a new key; its type is detected anew. */
async function readAttachment(
  { db, store, archive }: MessageImport,
  { attachment }: Message,
  oldRoomId: string,
  roomId: string,
) {
  if (!attachment) return null
  const name = attachmentName(oldRoomId, attachment.key)
  const content = await archive.open(name)
  if (!content) throw new CliError(`The archive does not have ${name}, which a message names.`)
  const stored = await storeAttachment(db, store, roomId, { content, filename: attachment.filename })
  if (stored.size !== attachment.size) throw new CliError(`${name} is not as large as its message says.`)
  return stored
}
