import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect } from 'vitest'
import { newId } from '../../src/ids.ts'
import { streamZip } from '../../src/storage/zip.ts'
import { places } from './backup.ts'
import { hearth } from './cli.ts'
import { filePart, multipart } from './multipart.ts'
import { override } from './permissions.ts'
import { webhook } from './webhooks.ts'
import { call, db, house, houseRoom, message, role, user } from './world.ts'
import { jsonLines, unzip } from './zip.ts'

/** How long the messages of a full house stay, in seconds. */
export const archivedMaxAge = 30 * 86_400

let files = 0
/** A path for an archive. */
export function archivePath(): string {
  files += 1
  return join(places, `house-${files}.zip`)
}

/** A house with something of everything. */
export async function fullHouse() {
  const [ann, bob, cat, dan, fay] = [await user(), await user(), await user(), await user(), await user()]
  const bot = await user({ bot_of: ann })
  const den = await house({ owner: ann, members: [bob, bot, dan] })
  const second = await houseRoom(den, { name: 'second', default_deny: 2 })
  const keepers = await role(den, { allow: 8, position: 3, members: [bob] })
  await override(den.room_id, keepers, { type: 0, allow: 1 })
  await override(den.room_id, bob.id, { type: 1, allow: 2 })
  await db
    .insertInto('bans')
    .values({ house_id: den.id, user_id: cat.id, created_by: ann.id, reason: 'spam' })
    .execute()
  await call(ann, 'PUT', `/houses/${den.id}/retention`, { max_age: archivedMaxAge })
  await message(den.room_id, cat, { content: 'of somebody who left' })
  await message(den.room_id, ann, { content: `hi <@${bob.id}>`, mentions: [bob] })
  const expires_at = new Date(Date.now() + 60_000)
  await message(den.room_id, fay, { content: `gone soon, <@${fay.id}>`, mentions: [fay], expires_at })
  const row = { device_id: fay.session_id, content: 'of a deleted room', house_id: den.id }
  await db
    .insertInto('messages')
    .values({ ...row, room_id: newId(), id: newId(), author_id: fay.id })
    .execute()
  const sent = await call(
    bob,
    'POST',
    `/rooms/${den.room_id}/media_messages`,
    undefined,
    multipart(filePart('<script>', 'page.html')),
  )
  const hi = await message(den.room_id, bob, { content: 'first' })
  const reply = { content: 'an answer', reply_to_id: hi, reply_mention: true }
  await call(ann, 'POST', `/rooms/${den.room_id}/messages?extended=true`, reply)
  for (const [person, emoji] of [
    [bob, '👍'],
    [ann, '🎉'],
    [ann, '👍'],
  ] as const) {
    const path = `/rooms/${den.room_id}/messages/${hi}/reactions/${encodeURIComponent(emoji)}`
    await call(person, 'PUT', path)
  }
  await call(ann, 'PUT', `/rooms/${den.room_id}/pins/${hi}`)
  await message(second, dan, { content: 'zwei\n\u2028drei' })
  const [hook, formerHook] = [await webhook(den), await webhook(den)]
  for (const { path } of [hook, formerHook]) await call(null, 'POST', path, { content: 'of a webhook' })
  await call(ann, 'DELETE', `/houses/${den.id}/webhooks/${formerHook.id}`)
  await hearth('delete-user', dan.username, '--yes')
  await db.updateTable('users').set({ email_verified: true }).where('id', '=', bob.id).execute()
  return {
    ann,
    bob,
    cat,
    dan,
    fay,
    bot,
    hook,
    formerHook,
    den,
    second,
    keepers,
    hi,
    file: sent.body.data.id as string,
  }
}

/** An archive of such a house: its files, and the names of those with the messages of the first room and the reactions. */
export async function exportedHouse() {
  const full = await fullHouse()
  const path = archivePath()
  expect(await hearth('export-house', full.den.id, path)).toMatchObject({ code: 0, err: '' })
  const { room_id } = full.den
  const [room, reactions] = [`messages/${room_id}.jsonl`, `reactions/${room_id}.jsonl`]
  return { full, path, files: await readArchive(path), room, reactions }
}

export async function readArchive(path: string): Promise<Record<string, string>> {
  return unzip(await readFile(path))
}

/** Writes an archive of these files, and gives its path. */
export async function writeArchive(contents: Record<string, string | Buffer>): Promise<string> {
  const path = archivePath()
  async function* entries() {
    for (const [name, content] of Object.entries(contents)) {
      async function* whole() {
        yield content
      }
      yield { name, content: whole() }
    }
  }
  await writeFile(path, await buffer(streamZip(entries())))
  return path
}

/** A value as a line of a list. */
const line = (value: unknown) => `${JSON.stringify(value)}\n`
/** A change of the archive: of its files, by name. */
export type Change = (archive: Record<string, string>) => Record<string, string | Buffer>
export const changed = (name: string, change: (rows: Record<string, unknown>[]) => unknown[]): Change => {
  return (archive) => ({ ...archive, [name]: change(jsonLines(archive[name]!)).map(line).join('') })
}
