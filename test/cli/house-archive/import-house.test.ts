import { expect, test } from 'vitest'
import { openDatabaseWithoutTimeouts } from '../../../src/database/client.ts'
import { filesIn, otherServer } from '../../support/backup.ts'
import { hearth, hearthIn } from '../../support/cli.ts'
import {
  archivedMaxAge,
  archivePath,
  changed,
  exportedHouse,
  readArchive,
  writeArchive,
} from '../../support/house-archive.ts'
import { call } from '../../support/world.ts'

const { full, path, files, room, reactions } = await exportedHouse()

/** An archive in which keys, time and addresses are as in every other: that of an import is not verified. */
function comparable(archive: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(archive).map(([name, text]) => {
      const keyless = (value: string) => value.replaceAll(/[0-9a-f]{32}/g, 'key')
      return [keyless(name), keyless(text).replaceAll(/"(made_at|email)":"[^"]+"/g, '"$1":null')]
    }),
  )
}

test('a house comes to another server as it was, with all its ids', async () => {
  const place = await otherServer()
  const { code, out, err } = await hearthIn(place, 'import-house', path)
  expect([code, err, out]).toEqual([
    0,
    '',
    `Den has the id ${full.den.id} here: 3 members, 8 messages, 1 file.`,
  ])
  const again = archivePath()
  expect(await hearthIn(place, 'export-house', full.den.id, again)).toMatchObject({ code: 0 })
  const [before, after] = [comparable(files), comparable(await readArchive(again))]
  expect(after).toEqual(before)
  expect(before[`messages/${full.den.room_id}.jsonl`]).not.toContain('gone soon')
  expect(Object.values(before).join()).not.toContain(full.fay.id)
  expect(before[`attachments/${full.den.room_id}/key`]).toBe('<script>')
  // The key of a file opens it: a copy has another one.
  const keyOf = (text: string) => /"key": ?"([0-9a-f]{32})"/.exec(text)![1]
  const roomFile = `messages/${full.den.room_id}.jsonl`
  expect(keyOf((await readArchive(again))[roomFile]!)).not.toBe(keyOf(files[roomFile]!))
})

test('replies, reactions and pins lead to the messages of the import, also under other ids', async () => {
  const { out } = await hearth('import-house', path, '--link-accounts', '--owner', full.bob.username)
  const [, id] = /has the id ([0-9]+) here/.exec(out)!
  const [{ id: roomId }] = (await call(full.bob, 'GET', `/houses/${id}/rooms`)).body.data
  const query = 'limit=50&extended=true'
  const { data } = (await call(full.bob, 'GET', `/rooms/${roomId}/messages?${query}`)).body
  const [hi, answer] = ['first', 'an answer'].map((content) => {
    return data.find((one: { content: string }) => one.content === content)
  })
  expect(hi.id).not.toBe(full.hi)
  const reactions = [
    { emoji: '👍', count: 2, me: true },
    { emoji: '🎉', count: 1, me: false },
  ]
  expect(hi).toMatchObject({ pinned: true, reactions })
  expect(answer).toMatchObject({ pinned: false, reply_to: { id: hi.id, content: 'first' } })
  expect(answer.mentions.map((one: { id: string }) => one.id)).toEqual([full.bob.id])
  const pins = (await call(full.bob, 'GET', `/rooms/${roomId}/pins`)).body.data
  expect(pins.map((pin: { id: string }) => pin.id)).toEqual([hi.id])
})

test('an archive without replies, reactions and pins is imported, as older servers have made it', async () => {
  const place = await otherServer()
  const { [reactions]: _, ...rest } = files
  const older = changed(room, (rows) => rows.map(({ reply_to, reply_mention, pinned_at, ...row }) => row))(
    rest,
  )
  expect(await hearthIn(place, 'import-house', await writeArchive(older))).toMatchObject({ code: 0, err: '' })
})

test.each([
  ['as long as in the archive', archivedMaxAge, { MESSAGES_MAX_AGE: '31d' }, archivedMaxAge],
  ['no longer than on the server', archivedMaxAge, { MESSAGES_MAX_AGE: '36h' }, 129_600],
  ['as on the server, if the archive has null', null, { MESSAGES_MAX_AGE: '36h' }, null],
  ['as on the server, if an older server has made the archive', undefined, {}, null],
])(
  'the messages of an import stay %s',
  async (_name, max_age, settings: Record<string, string>, expected) => {
    const place = await otherServer()
    const aged = changed('manifest.json', ([row]) => [
      { ...row, house: { ...(row!.house as object), max_age } },
    ])
    const imported = await hearthIn(
      { ...place, ...settings },
      'import-house',
      await writeArchive(aged(files)),
    )
    expect(imported).toMatchObject({ code: 0, err: '' })
    const [house] = JSON.parse((await hearthIn(place, 'list-houses', '--json')).out)
    expect(house).toMatchObject({ house: { id: full.den.id }, max_age: expected })
  },
)

test('a file of an import is shown as what it is', async () => {
  const place = await otherServer()
  await hearthIn(place, 'import-house', path)
  const there = openDatabaseWithoutTimeouts(place.DATABASE_URL)
  const [row] = await there.selectFrom('messages').select('attachment').where('id', '=', full.file).execute()
  await there.destroy()
  expect(row!.attachment).toMatchObject({
    content_type: 'application/octet-stream',
    filename: 'page.html',
    size: 8,
  })
  expect(await filesIn(place)).toHaveLength(1)
})

test('unknown fields of an archive are dropped', async () => {
  const place = await otherServer()
  const more = changed('roles.jsonl', (rows) => rows.map((row) => ({ ...row, unknown: 1 })))
  expect(await hearthIn(place, 'import-house', await writeArchive(more(files)))).toMatchObject({
    code: 0,
    err: '',
  })
})

test('export refuses a house that is not there, and a file that is', async () => {
  expect((await hearth('export-house', '1', archivePath())).err).toMatch(/^There is no house "1"/)
  expect((await hearth('export-house', full.den.id, path)).err).toBe(
    `${path} is there already: name a new file.`,
  )
})
