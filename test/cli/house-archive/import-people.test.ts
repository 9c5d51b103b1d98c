import { expect, test } from 'vitest'
import { openDatabaseWithoutTimeouts } from '../../../src/database/client.ts'
import { otherServer } from '../../support/backup.ts'
import { hearth, hearthIn } from '../../support/cli.ts'
import { changed, exportedHouse, writeArchive } from '../../support/house-archive.ts'
import { call, user } from '../../support/world.ts'
import { jsonLines } from '../../support/zip.ts'

const { full, path, files } = await exportedHouse()

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

test('import refuses an owner that is not there', async () => {
  const { code, err } = await hearth('import-house', path, '--owner', 'nobody-here')
  expect([code, err]).toEqual([
    1,
    'There is no user "nobody-here": give a username, an id or an e-mail address.',
  ])
})
