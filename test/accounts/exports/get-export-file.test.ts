import { expect, test } from 'vitest'
import { password, resident } from '../../support/accounts.ts'
import { download, expire, exportPath, fileOf, noExport, ready } from '../../support/exports.ts'
import { sendMedia } from '../../support/media.ts'
import { filePart } from '../../support/multipart.ts'
import { isDiscarded } from '../../support/store.ts'
import { call, db, house, houseRoom, message, store } from '../../support/world.ts'
import { jsonLines } from '../../support/zip.ts'

test('the key, and only it, opens an export, for a day', async () => {
  const ann = await resident()
  await call(ann, 'POST', exportPath, { password })
  const { url } = await ready(ann)
  const other = new URL(url)
  for (const key of [undefined, '', '0'.repeat(64), `${other.searchParams.get('key')}0`]) {
    if (key === undefined) other.searchParams.delete('key')
    else other.searchParams.set('key', key)
    expect((await download(other.href)).reply.statusCode).toBe(404)
  }
  expect(await isDiscarded(fileOf(ann, url))).toBe(true)
  const { discarded_at } = await db
    .selectFrom('discarded_files')
    .select('discarded_at')
    .where('name', '=', fileOf(ann, url))
    .executeTakeFirstOrThrow()
  expect(discarded_at.getTime() - Date.now()).toBeGreaterThan(23 * 3_600_000)
  await expire(ann)
  expect((await download(url)).reply.statusCode).toBe(404)
  expect((await call(ann, 'GET', exportPath)).body.data).toEqual(noExport)
})

test('an export whose file is gone answers not_found', async () => {
  const ann = await resident()
  await call(ann, 'POST', exportPath, { password })
  const { url } = await ready(ann)
  await store.remove(fileOf(ann, url))
  expect((await download(url)).reply.statusCode).toBe(404)
})

test('an export passes over a deleted room whose messages are still to be deleted', async () => {
  const ann = await resident()
  const den = await house({ owner: ann })
  const [first, second] = [await houseRoom(den), await houseRoom(den)]
  for (const room of [first, second]) await message(room, ann)
  // The message stays locked, as it does while it is deleted.
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('messages').select('id').where('room_id', '=', first).forUpdate().execute()
    await call(ann, 'DELETE', `/rooms/${first}`)
    await call(ann, 'POST', exportPath, { password })
    const { files } = await download((await ready(ann)).url)
    expect(Object.keys(files).filter((name) => name.startsWith('messages/'))).toEqual([
      `messages/${second}.jsonl`,
    ])
    expect(jsonLines(files[`messages/${second}.jsonl`]!)).toHaveLength(1)
  })
})

test('an export has no exploding message, its file or a room with nothing else', async () => {
  const ann = await resident()
  const den = await house({ owner: ann })
  const other = await houseRoom(den)
  const week = { exploding: true, exploding_age: 604_800 }
  const stays = await message(den.room_id, ann, { content: 'stays' })
  const parts = Object.entries({ ...week, content: 'with a file' }).map(([name, value]) => ({
    name,
    value: `${value}`,
  }))
  const sent = [
    await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'explodes', ...week }),
    await call(ann, 'POST', `/rooms/${other}/messages`, { content: 'explodes', ...week }),
    await sendMedia(ann, den.room_id, ...parts, filePart('secret', 'secret.txt')),
  ]
  expect(sent.map(({ body }) => body.data.exploding_age)).toEqual([604_800, 604_800, 604_800])
  await call(ann, 'POST', exportPath, { password })
  const { files } = await download((await ready(ann)).url)
  const ofRooms = Object.keys(files).filter((name) => /^(messages|attachments)\//.test(name))
  expect(ofRooms).toEqual([`messages/${den.room_id}.jsonl`])
  expect(jsonLines(files[ofRooms[0]!]!)).toMatchObject([{ id: stays, content: 'stays' }])
  expect(JSON.parse(files['rooms.json']!)).toMatchObject([{ id: den.room_id }])
})
