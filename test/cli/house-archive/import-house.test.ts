import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
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
import { jsonLines } from '../../support/zip.ts'

const full = await fullHouse()
const path = archivePath()
let files: Record<string, string>
const room = `messages/${full.den.room_id}.jsonl`
const reactions = `reactions/${full.den.room_id}.jsonl`

beforeAll(async () => {
  expect(await hearth('export-house', full.den.id, path)).toMatchObject({ code: 0, err: '' })
  files = await readArchive(path)
})

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
  expect(messages).toHaveLength(8)
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
  const eve = await user()
  const { code, out } = await hearth('import-house', path, '--link-accounts', '--owner', eve.username)
  expect(code).toBe(0)
  const [, id] = /has the id ([0-9]+) here/.exec(out)!
  const seen = (await call(full.bob, 'GET', `/houses/${id}`)).body.data
  expect(seen).toMatchObject({ owner_id: eve.id, member_count: 4 })
  expect((await call(eve, 'GET', `/houses/${id}`)).status).toBe(200)
  // Her address is not proven.
  expect((await call(full.ann, 'GET', `/houses/${id}`)).body.error.code).toBe('house_not_found')
})

test('of two people with one address only the first is linked', async () => {
  const second = changed('users.jsonl', (rows) =>
    rows.map((row) => (row.id === full.dan.id ? row : { ...row, email: `${full.bob.username}@EXAMPLE.org` })),
  )
  const { code, out, err } = await hearth(
    'import-house',
    await writeArchive(second(files)),
    '--link-accounts',
  )
  expect([code, err]).toEqual([0, ''])
  const [, id] = /has the id ([0-9]+) here/.exec(out)!
  expect((await call(full.bob, 'GET', `/houses/${id}`)).body.data.member_count).toBe(3)
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

test('deleted accounts and webhooks stay the authors of their messages', async () => {
  const place = await otherServer()
  await hearthIn(place, 'import-house', path)
  const { code } = await hearthIn(place, 'import-house', path)
  expect(code).toBe(0)
  const there = openDatabaseWithoutTimeouts(place.DATABASE_URL)
  try {
    const rows = await there
      .selectFrom('messages')
      .innerJoin('users', 'users.id', 'author_id')
      .select(['users.id', 'username', 'deleted_at'])
      .where('content', 'in', ['of a webhook', 'zwei\n\u2028drei'])
      .execute()
    const of = (id: string) => rows.find((row) => row.id === id)
    expect(rows).toHaveLength(6)
    for (const id of [full.dan.id, full.formerHook.id]) {
      expect(of(id)).toEqual({ id, username: `deleted-${id}`, deleted_at: expect.any(Date) })
    }
    const username = `webhook-${full.hook.id}`
    expect(of(full.hook.id)).toEqual({ id: full.hook.id, username, deleted_at: null })
    expect(rows.map((row) => row.username)).toContain(`${username}-2`)
    expect(rows.filter((row) => row.username === `deleted-${row.id}`)).toHaveLength(4)
  } finally {
    await there.destroy()
  }
})

test('a reserved username becomes another one, and a crowd of taken ones ends at the id', async () => {
  const place = await otherServer()
  const there = openDatabaseWithoutTimeouts(place.DATABASE_URL)
  try {
    const taken = Array.from({ length: 99 }, (_, n) => `user-${n + 2}`)
    const rows = ['user', ...taken].map((username, n) => ({ id: String(n + 1), username, name: username }))
    await there.insertInto('users').values(rows).execute()
    const hostile = changed('users.jsonl', ([row, ...rest]) => [{ ...row, username: 'deleted-me' }, ...rest])
    const { err } = await hearthIn(place, 'import-house', await writeArchive(hostile(files)))
    expect(err).toBe('')
    const { id } = jsonLines(files['users.jsonl']!)[0]!
    const { username } = await there
      .selectFrom('users')
      .select('username')
      .where('id', '=', id as string)
      .executeTakeFirstOrThrow()
    expect(username).toBe(`user-${id}`)
  } finally {
    await there.destroy()
  }
})

test('bots without an owner belong to the owner of the house here', async () => {
  const place = await otherServer()
  await hearthIn(place, 'create-user', 'eve@example.org', 'eve')
  const ownerless = changed('users.jsonl', (rows) => rows.map((row) => ({ ...row, owner_id: null })))
  const { code } = await hearthIn(
    place,
    'import-house',
    await writeArchive(ownerless(files)),
    '--owner',
    'eve',
  )
  expect(code).toBe(0)
  const there = openDatabaseWithoutTimeouts(place.DATABASE_URL)
  try {
    const owner = await there
      .selectFrom('users as bots')
      .innerJoin('users as owners', 'owners.id', 'bots.owner_id')
      .select('owners.username')
      .where('bots.id', '=', full.bot.id)
      .executeTakeFirst()
    expect(owner).toEqual({ username: 'eve' })
  } finally {
    await there.destroy()
  }
})

test('a house whose audit log is still to be deleted gets another id', async () => {
  const place = await otherServer()
  await hearthIn(place, 'import-house', path)
  const there = openDatabaseWithoutTimeouts(place.DATABASE_URL)
  try {
    const entry = {
      house_id: full.den.id,
      id: '1',
      actor_id: full.ann.id,
      action: 'room_created',
      changes: '[]',
    }
    await there.insertInto('audit_log').values(entry).execute()
    expect(await hearthIn(place, 'delete-house', full.den.id, '--yes')).toMatchObject({ code: 0 })
    const { out } = await hearthIn(place, 'import-house', path)
    expect(out).toMatch(/^Den has the id [0-9]+ here/)
    expect(out).not.toContain(full.den.id)
  } finally {
    await there.destroy()
  }
})

test('unknown fields of an archive are dropped', async () => {
  const place = await otherServer()
  const more = changed('roles.jsonl', (rows) => rows.map((row) => ({ ...row, unknown: 1 })))
  expect(await hearthIn(place, 'import-house', await writeArchive(more(files)))).toMatchObject({
    code: 0,
    err: '',
  })
})

describe('messages of one millisecond', () => {
  const at = String((BigInt(full.hi) >> 22n) << 22n)
  const template = changed(reactions, () => [])
  const manyAt = (count: number) =>
    changed(room, ([row]) =>
      Array.from({ length: count }, (_, n) => {
        return {
          ...row,
          id: String(BigInt(at) + BigInt(n)),
          pinned_at: null,
          attachment: null,
          reply_to: null,
        }
      }),
    )

  test('of which more ids are taken than one node has, are imported', async () => {
    const place = await otherServer()
    const archive = await writeArchive(
      manyAt(4_200)({ ...files, ...template(files) } as Record<string, string>),
    )
    for (const _ of [1, 2]) {
      expect(await hearthIn(place, 'import-house', archive)).toMatchObject({ code: 0, err: '' })
    }
  })

  test('of which there are no free ids, are refused', async () => {
    const place = await otherServer()
    const archive = await writeArchive(manyAt(1)({ ...files, ...template(files) } as Record<string, string>))
    const there = openDatabaseWithoutTimeouts(place.DATABASE_URL)
    try {
      await sql`
        insert into messages (room_id, id, author_id, device_id, content)
        select 1, ${at}::bigint + node * 4096, 1, 1, '' from generate_series(0, 1023) as node`.execute(there)
      expect((await hearthIn(place, 'import-house', archive)).err).toBe(
        'The archive has messages of a millisecond that has too few free ids here.',
      )
    } finally {
      await there.destroy()
    }
  })
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
    expect(await there.selectFrom('messages').select('id').execute()).toHaveLength(8)
  } finally {
    await there.destroy()
  }
})
