import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { environment, hearth, hearthIn } from '../../support/cli.ts'
import {
  archivePath,
  type Change,
  changed,
  exportedHouse,
  writeArchive,
} from '../../support/house-archive.ts'
import { db } from '../../support/world.ts'

const { path, files, room, reactions } = await exportedHouse()

const made = '2026-01-01T00:00:00.000Z'
const later = String((BigInt(Date.now() + 3_600_000 - 1_562_544_000_000) << 22n) | 1n)
const noTime = '2026-13-01T00:00:00.000Z'
// Not so long a file that it unpacks to far more.
const tooLong = `${randomBytes(2 ** 20).toString('base64')}${'x'.repeat(64 * 2 ** 20)}`
const withFile = (rows: Record<string, unknown>[]) => rows.find((row) => row.attachment !== null)
const afterAll = (rows: Record<string, unknown>[]) => String(BigInt(rows.at(-1)!.id as string) + 1n)
const attachment = (archive: Record<string, string>) =>
  Object.keys(archive).find((name) => name.startsWith('att'))!

test.each<[string, Change, RegExp]>([
  [
    'a file outside',
    (archive) => ({ ...archive, 'etc/passwd': 'x' }),
    /has a file that no house archive has/,
  ],
  ['no manifest', ({ 'manifest.json': _, ...rest }) => rest, /has no manifest/],
  [
    'another format',
    changed('manifest.json', ([row]) => [{ ...row, version: 2 }]),
    /Line 1 of manifest.json/,
  ],
  [
    'messages that stay for less than an hour',
    changed('manifest.json', ([row]) => [{ ...row, house: { ...(row!.house as object), max_age: 3_599 } }]),
    /Line 1 of manifest.json/,
  ],
  ['a bomb', (archive) => ({ ...archive, [room]: Buffer.alloc(64 * 2 ** 20) }), /unpacks to far more/],
  ['an endless line', (archive) => ({ ...archive, [room]: 'x'.repeat(3 * 2 ** 20) }), /too long/],
  ['no JSON', (archive) => ({ ...archive, [room]: '{\n' }), /Line 1 of messages/],
  ['half a line', (archive) => ({ ...archive, [room]: archive[room]!.slice(0, -1) }), /not whole/],
  ['an id of the future', changed(room, (rows) => [...rows, { ...rows[0], id: later }]), /id that is none/],
  ['an id beyond all', changed(room, ([row]) => [{ ...row, id: '9'.repeat(19) }]), /id that is none/],
  ['messages out of order', changed(room, (rows) => rows.toReversed()), /out of order/],
  [
    'an unknown author',
    changed(room, ([row]) => [{ ...row, author_id: '1' }]),
    /names a user that it does not have/,
  ],
  ['an unknown role', changed('members.jsonl', ([row]) => [{ ...row, roles: ['1'] }]), /names a role/],
  ['two users of one id', changed('users.jsonl', (rows) => [...rows, rows[0]]), /two users with one id/],
  [
    'a room in two entities',
    changed('entities.jsonl', ([row]) => [row, { ...row, id: '5' }]),
    /in two entities/,
  ],
  ['no rooms', changed('rooms.jsonl', () => []), /has no room/],
  ['clashing permissions', changed('roles.jsonl', ([row]) => [{ ...row, deny: row?.allow }]), /at once/],
  ['a name with U+0000', changed('rooms.jsonl', ([row]) => [{ ...row, name: 'a\u0000' }]), /Line 1 of rooms/],
  [
    'a missing file',
    (archive) => {
      const { [attachment(archive)]: _, ...rest } = archive
      return rest
    },
    /does not have attachments/,
  ],
  [
    'a reaction to nothing',
    changed(reactions, ([row]) => [{ ...row, message_id: '1' }]),
    /message that it does not/,
  ],
  ['a reaction by nobody', changed(reactions, ([row]) => [{ ...row, user_id: '1' }]), /names a user/],
  [
    'a reaction that is no emoji',
    changed(reactions, ([row]) => [{ ...row, emoji: 'x' }]),
    /Line 1 of reactions/,
  ],
  [
    'too many reactions',
    changed(reactions, ([row]) =>
      Array.from({ length: 21 }, (_, n) => ({ ...row, emoji: String.fromCodePoint(0x1f600 + n) })),
    ),
    /more reactions to a message/,
  ],
  [
    'too many pins',
    changed(room, (rows) => [
      ...Array.from({ length: 50 }, (_, n) => ({ ...rows[0], id: String(n + 1), pinned_at: made })),
      ...rows,
    ]),
    /more pins in a room/,
  ],
  [
    'an answer to a user who is not there',
    changed(room, ([row]) => [{ ...row, reply_mention: '1' }]),
    /names a user/,
  ],
  [
    'two users of one username',
    changed('users.jsonl', ([row, ...rows]) => [row, { ...rows[0], username: row?.username }]),
    /two users with one username/,
  ],
  [
    'two messages of one file',
    changed(room, (rows) => [...rows, { ...withFile(rows), id: afterAll(rows) }]),
    /two messages with one file/,
  ],
  ['a thirteenth month', changed(room, ([row]) => [{ ...row, edited_at: noTime }]), /Line 1 of messages/],
  [
    'a location of two lines',
    changed('users.jsonl', ([row]) => [{ ...row, location: 'a\nb' }]),
    /Line 1 of users/,
  ],
  ['a control character', changed(room, ([row]) => [{ ...row, content: 'a\u0007' }]), /Line 1 of messages/],
  ['too long a list', (archive) => ({ ...archive, 'bans.jsonl': tooLong }), /too long a list: bans.jsonl/],
  ['a file of another size', (archive) => ({ ...archive, [attachment(archive)]: 'other' }), /not as large/],
])('an archive with %s is refused, and nothing is imported', async (_what, change, reason) => {
  const users = () =>
    db
      .selectFrom('users')
      .select((eb) => eb.fn.countAll().as('count'))
      .execute()
  const before = await users()
  const { code, err } = await hearth('import-house', await writeArchive(change(files)))
  expect([code, err]).toEqual([1, expect.stringMatching(reason)])
  expect(err).toMatch(/^[^\n]+\.$/)
  expect(await users()).toEqual(before)
})

test('a cut, a damaged and a missing archive are refused', async () => {
  const whole = await readFile(path)
  const broken = Buffer.from(whole)
  const at = broken.indexOf('<script>')
  broken.write('<SCRIPT>', at)
  for (const [content, reason] of [
    [whole.subarray(0, whole.length / 2), /no ZIP file, or not a whole one/],
    [Buffer.from('PK'), /no ZIP file/],
    [broken, /is damaged: attachments/],
  ] as const) {
    const copy = archivePath()
    await writeFile(copy, content)
    const { code, err } = await hearth('import-house', copy)
    expect([code, err]).toEqual([1, expect.stringMatching(reason)])
  }
  expect((await hearth('import-house', archivePath())).err).toMatch(/there is no such file/)
  expect((await hearth('import-house', import.meta.dirname)).err).toMatch(/it is a folder/)
})

test('a path that leads out of the archive is refused', async () => {
  const evil = Buffer.from(await readFile(await writeArchive({ ...files, 'aa/bb/cc/dd': 'x' })))
  for (let at = evil.indexOf('aa/bb/cc/dd'); at !== -1; at = evil.indexOf('aa/bb/cc/dd'))
    evil.write('../../../xx', at)
  const copy = archivePath()
  await writeFile(copy, evil)
  expect((await hearth('import-house', copy)).err).toBe('The archive is damaged: its list of files is wrong.')
})

test('nothing is imported while the disk of the database is full', async () => {
  const houses = () => db.selectFrom('houses').select('id').execute()
  const before = await houses()
  const full = { ...environment(), DATABASE_MAX_SIZE: '1GiB', STORAGE_RESERVE: '1GiB' }
  const { code, err } = await hearthIn(full, 'import-house', path)
  expect([code, err]).toEqual([
    1,
    'The disk of the database has less than STORAGE_RESERVE free: nothing was written.',
  ])
  expect(await houses()).toEqual(before)
})
