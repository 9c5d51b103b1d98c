import { beforeAll, expect, test } from 'vitest'
import { openDatabaseWithoutTimeouts } from '../../../src/database/client.ts'
import { filesIn } from '../../support/backup.ts'
import { hearth, hearthIn } from '../../support/cli.ts'
import {
  archivePath,
  changed,
  fullHouse,
  otherServer,
  readArchive,
  writeArchive,
} from '../../support/house-archive.ts'
import { call, db, user } from '../../support/world.ts'

const full = await fullHouse()
const path = archivePath()
let files: Record<string, string>
const room = `messages/${full.den.room_id}.jsonl`
const reactions = `reactions/${full.den.room_id}.jsonl`

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
    `Den has the id ${full.den.id} here: 4 members, 6 messages, 1 file.`,
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
    expect(own.map(({ id }) => id).toSorted()).toEqual([full.file, full.hi].toSorted())
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
  expect(messages).toHaveLength(6)
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
    expect(await there.selectFrom('messages').select('id').execute()).toHaveLength(6)
  } finally {
    await there.destroy()
  }
})
