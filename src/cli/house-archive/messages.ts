import type { Db } from '../../database/client.ts'
import {
  countStaged,
  createStage,
  moveTakenMessages,
  placeMessages,
  type StagedMessage,
  type StagedReaction,
  stageMessages,
  stageReactions,
} from '../../houses/archive/import-queries.ts'
import { isGreaterId } from '../../ids.ts'
import { storeAttachment } from '../../messages/attachments/operations.ts'
import { attachmentFile } from '../../messages/attachments/queries.ts'
import { maxPins } from '../../messages/pins/operations.ts'
import { maxReactionEmojis } from '../../messages/reactions/operations.ts'
import { cancelDiscard } from '../../storage/discard.ts'
import type { Store } from '../../storage/store.ts'
import { CliError } from '../command.ts'
import { attachmentName, Message, messagesName, Reaction, reactionsName } from './format.ts'
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

/** Imports the messages of all rooms with their files, reactions and pins. Returns how many messages and files. */
export async function importMessages(source: MessageImport): Promise<{ messages: number; files: number }> {
  const { trx, archive, rooms, houseId } = source
  const counts = { messages: 0, files: 0 }
  await createStage(trx)
  for (const [oldRoomId, roomId] of rooms) {
    let last = '0'
    const keys = new Set<string>()
    let batch: StagedMessage[] = []
    for await (const message of archive.readLines(messagesName(oldRoomId), Message)) {
      if (!isGreaterId(checkId(message.id), last))
        throw new CliError('The archive has messages out of order.')
      last = message.id
      const key = message.attachment?.key
      if (key !== undefined && keys.size === keys.add(key).size)
        throw new CliError('The archive has two messages with one file.')
      batch.push(await readMessage(source, message, oldRoomId, roomId))
      if (batch.length === atOnce) {
        await flush(source, batch, counts)
        batch = []
      }
    }
    await flush(source, batch, counts)
    await readReactions(source, oldRoomId, roomId)
  }
  await checkStaged(trx)
  await moveAllTaken(trx)
  await placeMessages(trx, houseId)
  return counts
}

/** Each node number is tried once: the ids of an earlier import of the same archive are taken. */
async function moveAllTaken(trx: Db): Promise<void> {
  for (let node = nodeNumbers - 1; node >= 0; node -= 1) {
    if ((await moveTakenMessages(trx, node)) === 0) return
  }
  throw new CliError('The archive has messages of a millisecond that has too few free ids here.')
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

async function readReactions(
  { trx, archive, users }: MessageImport,
  oldRoomId: string,
  room_id: string,
): Promise<void> {
  let batch: StagedReaction[] = []
  for await (const reaction of archive.readLines(reactionsName(oldRoomId), Reaction)) {
    batch.push({ ...reaction, room_id, user_id: mustHave(users, reaction.user_id, 'user') })
    if (batch.length === atOnce) {
      await stageReactions(trx, batch)
      batch = []
    }
  }
  await stageReactions(trx, batch)
}

async function checkStaged(trx: Db): Promise<void> {
  const { lost_reactions, emojis, pins } = await countStaged(trx)
  if (lost_reactions > 0) throw new CliError('The archive has a reaction to a message that it does not have.')
  if (emojis > maxReactionEmojis)
    throw new CliError('The archive has more reactions to a message than it may have.')
  if (pins > maxPins) throw new CliError('The archive has more pins in a room than it may have.')
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
    reply_to: message.reply_to ?? null,
    reply_mention: message.reply_mention ? mustHave(users, message.reply_mention, 'user') : null,
    pinned_at: message.pinned_at ?? null,
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
  const { attachment: stored } = await storeAttachment(db, store, roomId, {
    content,
    filename: attachment.filename,
  })
  if (stored.size !== attachment.size) throw new CliError(`${name} is not as large as its message says.`)
  return stored
}
