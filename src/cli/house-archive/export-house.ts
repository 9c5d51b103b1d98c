import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { writeServerAudit } from '../../administration/audit-log/operations.ts'
import type { Db } from '../../database/client.ts'
import { readPages } from '../../database/pages.ts'
import {
  createExportedUsers,
  type ExportedMessage,
  type ExportedReaction,
  findExportedHouse,
  listExportedBans,
  listExportedEntities,
  listExportedMembers,
  listExportedMessages,
  listExportedReactions,
  listExportedRoles,
  listExportedRooms,
  listExportedUsers,
} from '../../houses/archive/export-queries.ts'
import { asId, unknownId } from '../../ids.ts'
import { pictureName } from '../../images/picture.ts'
import { attachmentFile } from '../../messages/attachments/queries.ts'
import { openFile, type Store } from '../../storage/store.ts'
import { jsonLines, streamZip, type ZipEntry } from '../../storage/zip.ts'
import { CliError, type Command, count } from '../command.ts'
import { withInstallation } from '../installation.ts'
import { attachmentName, formatName, formatVersion, iconName, messagesName, reactionsName } from './format.ts'
import { openArchive } from './read.ts'

const rowsAtOnce = 1_000

type OfUser = { user_id: string }
const afterUser = (last: OfUser | undefined) => last?.user_id ?? unknownId
const all = <Row>(read: Parameters<typeof readPages<Row>>[1]) => readPages(rowsAtOnce, read)

type Counts = { messages: number; files: number }
type Source = { db: Db; store: Store; houseId: string; counts: Counts }

export const exportHouse: Command = {
  name: 'export-house',
  summary: 'Write a house with its members, messages and files into a new ZIP file; the server may run',
  parameters: ['id', 'file'],
  options: {},
  async run({ parameters: [id, named] }, context) {
    const path = resolve(named!)
    await withInstallation(context, async ({ db, store }) => {
      const counts = { messages: 0, files: 0 }
      const house = await findExportedHouse(db, asId(id!))
      if (!house) throw new CliError(`There is no house "${id}": "npm run hearth -- list-houses" lists them.`)
      await db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (trx) => {
          await writeServerAudit(trx, null, 'house_exported', { type: 'house', id: house.id })
          await writeArchive({ db: trx, store, houseId: house.id, counts }, path)
        })
      const contents = `${count(counts.messages, 'message')} and ${count(counts.files, 'file')}`
      context.print(`${path} holds ${house.name} with ${contents}.`)
    })
  },
}

async function writeArchive(source: Source, path: string): Promise<void> {
  const output = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  try {
    await pipeline(streamZip(entriesOf(source)), output)
    // Refuses what import-house would: too many files, say.
    ;(await openArchive(path)).close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new CliError(`${path} is there already: name a new file.`)
    }
    await rm(path, { force: true })
    throw error
  }
}

async function* entriesOf(source: Source): AsyncGenerator<ZipEntry> {
  const { db, store, houseId } = source
  const found = await findExportedHouse(db, houseId)
  if (!found) throw new CliError('The house was deleted at this moment.')
  const { icon, ...house } = found
  const manifest = { format: formatName, version: formatVersion, made_at: new Date(), house }
  yield { name: 'manifest.json', content: jsonLines([manifest]) }
  await createExportedUsers(db, houseId)
  const lists = {
    users: all<{ id: string }>((last, limit) =>
      listExportedUsers(db, { after: last?.id ?? unknownId, limit }),
    ),
    members: all<OfUser>((last, limit) =>
      listExportedMembers(db, houseId, { after: afterUser(last), limit }),
    ),
    bans: all<OfUser>((last, limit) => listExportedBans(db, houseId, { after: afterUser(last), limit })),
    roles: await listExportedRoles(db, houseId),
    entities: await listExportedEntities(db, houseId),
  }
  for (const [name, rows] of Object.entries(lists)) yield { name: `${name}.jsonl`, content: jsonLines(rows) }
  const rooms = await listExportedRooms(db, houseId)
  yield { name: 'rooms.jsonl', content: jsonLines(rooms) }
  const picture = icon && (await openFile(store, pictureName('houses/icons', houseId, icon)))
  if (picture) yield { name: iconName, content: picture.content, isPacked: true }
  for (const room of rooms) yield* roomEntries(source, room.id)
}

/** The files of a room, its messages and the reactions to them: messages whose file is gone have none. */
async function* roomEntries({ db, store, counts }: Source, roomId: string): AsyncGenerator<ZipEntry> {
  const messages = () =>
    all<ExportedMessage>((last, limit) =>
      listExportedMessages(db, roomId, { after: last?.id ?? unknownId, limit }),
    )
  const missing = new Set<string>()
  for await (const { attachment } of messages()) {
    if (!attachment) continue
    const opened = await openFile(store, attachmentFile(roomId, attachment.key))
    if (!opened) {
      missing.add(attachment.key)
      continue
    }
    counts.files += 1
    yield { name: attachmentName(roomId, attachment.key), content: opened.content, isPacked: true }
  }
  async function* exported() {
    for await (const message of messages()) {
      counts.messages += 1
      yield missing.has(message.attachment?.key ?? '') ? { ...message, attachment: null } : message
    }
  }
  yield { name: messagesName(roomId), content: jsonLines(exported()) }
  const reactions = all<ExportedReaction>((last, limit) => listExportedReactions(db, roomId, last, limit))
  yield { name: reactionsName(roomId), content: jsonLines(reactions) }
}
