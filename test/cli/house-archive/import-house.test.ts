import { readFile, writeFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { openDatabaseWithoutTimeouts } from '../../../src/database/client.ts'
import { filesIn } from '../../support/backup.ts'
import { hearth, hearthIn } from '../../support/cli.ts'
import {
  archivePath,
  fullHouse,
  otherServer,
  readArchive,
  writeArchive,
} from '../../support/house-archive.ts'
import { call, db, user } from '../../support/world.ts'
import { jsonLines } from '../../support/zip.ts'

const full = await fullHouse()
const path = archivePath()
let files: Record<string, string>

beforeAll(async () => {
  expect(await hearth('export-house', full.den.id, path)).toMatchObject({ code: 0, err: '' })
  files = await readArchive(path)
})

/** An archive in which keys and time are as in every other. */
function comparable(archive: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(archive).map(([name, text]) => {
      const keyless = (value: string) => value.replaceAll(/[0-9a-f]{32}/g, 'key')
      return [keyless(name), keyless(text).replace(/"made_at":"[^"]+"/, '')]
    }),
  )
}

test('a house comes to another server as it was, with all its ids', async () => {
  const place = await otherServer()
  const { code, out, err } = await hearthIn(place, 'import-house', path)
  expect([code, err, out]).toEqual([
    0,
    '',
    `Den has the id ${full.den.id} here: 4 members, 4 messages, 1 file.`,
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

test('an account is claimed by its e-mail address, and has its messages and roles', async () => {
  const place = await otherServer()
  await hearthIn(place, 'import-house', path)
  const there = openDatabaseWithoutTimeouts(place.DATABASE_URL)
  try {
    const bob = await there
      .selectFrom('users')
      .selectAll()
      .where('id', '=', full.bob.id)
      .executeTakeFirstOrThrow()
    expect(bob).toMatchObject({
      username: full.bob.username,
      email: `${full.bob.username}@example.org`,
      email_verified: false,
      password_hash: null,
    })
    expect(await there.selectFrom('sessions').select('id').execute()).toEqual([])
    const claimed = await hearthIn(place, 'reset-password', full.bob.username, '--password', 'a new horse')
    expect(claimed).toMatchObject({ code: 0 })
    const roles = await there
      .selectFrom('member_roles')
      .select('role_id')
      .where('user_id', '=', full.bob.id)
      .execute()
    expect(roles).toEqual([{ role_id: full.keepers }])
    const own = await there.selectFrom('messages').select('id').where('author_id', '=', full.bob.id).execute()
    expect(own).toEqual([{ id: full.file }])
    const unread = await there
      .selectFrom('read_states')
      .select('message_id')
      .where('user_id', '=', full.bob.id)
      .execute()
    expect(unread).toHaveLength(2)
  } finally {
    await there.destroy()
  }
})

test('beside the house itself an import has ids, names and files of its own', async () => {
  const { code, out } = await hearth('import-house', path)
  expect(code).toBe(0)
  const [, id] = /has the id ([0-9]+) here/.exec(out)!
  expect(id).not.toBe(full.den.id)
  const messages = await db
    .selectFrom('messages')
    .select(['id', 'room_id'])
    .where('house_id', '=', id!)
    .execute()
  const before = await db
    .selectFrom('messages')
    .select(['id', 'room_id'])
    .where('house_id', '=', full.den.id)
    .execute()
  expect(messages).toHaveLength(4)
  const ids = new Set(before.map((each) => each.id))
  expect(messages.filter((each) => ids.has(each.id))).toEqual([])
  const millisecond = (each: { id: string }) => String(BigInt(each.id) >> 22n)
  const times = new Set(before.map(millisecond))
  expect(messages.filter((each) => !times.has(millisecond(each)))).toEqual([])
  const twin = await db
    .selectFrom('users')
    .selectAll()
    .where('username', '=', `${full.bob.username}-2`)
    .execute()
  expect(twin).toMatchObject([{ email: null, password_hash: null }])
  // Once more: the ids of the second copy are taken, too.
  expect(await hearth('import-house', path)).toMatchObject({ code: 0 })
  expect((await call(full.ann, 'GET', `/houses/${full.den.id}`)).status).toBe(200)
  expect((await call(full.ann, 'GET', `/houses/${id}`)).body.error.code).toBe('house_not_found')
})

test('linked accounts and the new owner are members themselves', async () => {
  await db.updateTable('users').set({ email_verified: true }).where('id', '=', full.bob.id).execute()
  const eve = await user()
  const { code, out } = await hearth('import-house', path, '--link-accounts', '--owner', eve.username)
  expect(code).toBe(0)
  const [, id] = /has the id ([0-9]+) here/.exec(out)!
  const seen = (await call(full.bob, 'GET', `/houses/${id}`)).body.data
  expect(seen).toMatchObject({ owner_id: eve.id, member_count: 5 })
  expect((await call(eve, 'GET', `/houses/${id}`)).status).toBe(200)
  // Her address is not proven.
  expect((await call(full.ann, 'GET', `/houses/${id}`)).body.error.code).toBe('house_not_found')
})

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

const line = (value: unknown) => `${JSON.stringify(value)}\n`
/** A change of the archive: of its files, by name. */
type Change = (archive: Record<string, string>) => Record<string, string | Buffer>
const changed = (name: string, change: (rows: Record<string, unknown>[]) => unknown[]): Change => {
  return (archive) => ({ ...archive, [name]: change(jsonLines(archive[name]!)).map(line).join('') })
}
const room = `messages/${full.den.room_id}.jsonl`
const later = String((BigInt(Date.now() + 3_600_000 - 1_562_544_000_000) << 22n) | 1n)
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
  ['a file of another size', (archive) => ({ ...archive, [attachment(archive)]: 'other' }), /not as large/],
])('an archive with %s is refused, and nothing is imported', async (_what, change, reason) => {
  const users = () => db.selectFrom('users').select('id').execute()
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
})

test('a path that leads out of the archive is refused', async () => {
  const evil = Buffer.from(await readFile(await writeArchive({ ...files, 'aa/bb/cc/dd': 'x' })))
  for (let at = evil.indexOf('aa/bb/cc/dd'); at !== -1; at = evil.indexOf('aa/bb/cc/dd'))
    evil.write('../../../xx', at)
  const copy = archivePath()
  await writeFile(copy, evil)
  expect((await hearth('import-house', copy)).err).toBe('The archive is damaged: its list of files is wrong.')
})

test('import refuses an owner that is not there', async () => {
  const { code, err } = await hearth('import-house', path, '--owner', 'nobody-here')
  expect([code, err]).toEqual([1, 'There is no user "nobody-here": give a username or an id.'])
})

test('export refuses a house that is not there, and a file that is', async () => {
  expect((await hearth('export-house', '1', archivePath())).err).toMatch(/^There is no house "1"/)
  expect((await hearth('export-house', full.den.id, path)).err).toBe(
    `${path} is there already: name a new file.`,
  )
})

test('a room whose former messages are still to be deleted gets another id, and keeps what is imported', async () => {
  const place = await otherServer()
  const there = openDatabaseWithoutTimeouts(place.DATABASE_URL)
  const { room_id } = full.den
  try {
    await there.insertInto('removed_rooms').values({ room_id }).execute()
    expect(await hearthIn(place, 'import-house', path)).toMatchObject({ code: 0, err: '' })
    const inRoom = there.selectFrom('messages').select('id').where('room_id', '=', room_id)
    expect(await inRoom.execute()).toEqual([])
    expect(await there.selectFrom('messages').select('id').execute()).toHaveLength(4)
  } finally {
    await there.destroy()
  }
})
