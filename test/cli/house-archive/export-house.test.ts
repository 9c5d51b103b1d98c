import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../../src/ids.ts'
import { otherServer } from '../../support/backup.ts'
import { hearth, hearthIn } from '../../support/cli.ts'
import { crowd } from '../../support/crowds.ts'
import { archivePath, readArchive } from '../../support/house-archive.ts'
import { statementsOf } from '../../support/statements.ts'
import { db, house, user } from '../../support/world.ts'
import { jsonLines } from '../../support/zip.ts'

async function exported(houseId: string) {
  const path = archivePath()
  expect(await hearth('export-house', houseId, path)).toMatchObject({ code: 0, err: '' })
  return { path, files: await readArchive(path) }
}

test('an archive has only the e-mail addresses that are verified', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  await db.updateTable('users').set({ email_verified: true }).where('id', '=', bob.id).execute()
  const { files } = await exported(den.id)
  const emails = jsonLines(files['users.jsonl']!).map(({ id, email }) => [id, email])
  expect(emails).toEqual([
    [ann.id, null],
    [bob.id, `${bob.username}@example.org`],
  ])
})

test('a house of 2,001 people has them all, and its messages are looked through once', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const ids = await crowd(2_000)
  await sql`insert into members (house_id, user_id) select ${den.id}, unnest(${ids}::bigint[])`.execute(db)
  let files: Record<string, string> = {}
  const statements = await statementsOf(async () => {
    ;({ files } = await exported(den.id))
  })
  for (const name of ['users.jsonl', 'members.jsonl']) {
    const listed = jsonLines(files[name]!).map(({ id, user_id }) => id ?? user_id)
    expect(listed).toEqual([ann.id, ...ids])
  }
  expect(statements.filter(({ text }) => /unnest\(mentions\)/.test(text))).toHaveLength(1)
})

test('what a server takes, another one imports', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const website = `http://example.org/${'x'.repeat(237)}`
  const own = { website, email: `ann@${'long.'.repeat(20)}example.org`, email_verified: true }
  await db.updateTable('users').set(own).where('id', '=', ann.id).execute()
  // A provider of logins takes addresses that Hearth does not.
  const bob = await user({ email: 'bob@intra_net' })
  await db.updateTable('users').set({ email_verified: true }).where('id', '=', bob.id).execute()
  await db.insertInto('members').values({ house_id: den.id, user_id: bob.id }).execute()
  await db
    .updateTable('rooms')
    .set({ emoji: ' ', position: 1_000_001 })
    .where('id', '=', den.room_id)
    .execute()
  const { path } = await exported(den.id)
  const place = await otherServer()
  expect(await hearthIn(place, 'import-house', path)).toMatchObject({ code: 0, err: '' })
  const accounts = JSON.parse((await hearthIn(place, 'list-users', '--json')).out)
  const seen = accounts.map((one: { email: string; user: { website: string } }) => [
    one.email,
    one.user.website,
  ])
  expect(seen).toEqual([
    [own.email, website],
    ['', ''],
  ])
})

test('names of which nothing is seen, as older versions took them, become others', async () => {
  const name = '\u3164'
  const ann = await user()
  const den = await house({ owner: ann })
  await db.updateTable('users').set({ name }).where('id', '=', ann.id).execute()
  await db.updateTable('houses').set({ name }).where('id', '=', den.id).execute()
  await db.updateTable('rooms').set({ name }).where('id', '=', den.room_id).execute()
  const { path } = await exported(den.id)
  const place = await otherServer()
  expect(await hearthIn(place, 'import-house', path)).toMatchObject({ code: 0, err: '' })
  const [account] = JSON.parse((await hearthIn(place, 'list-users', '--json')).out)
  expect(account.user.name).toBe(ann.username)
  expect((await hearthIn(place, 'list-houses')).out).toContain('unnamed')
})

test('a house that no import would take is refused, and its file removed', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const first = newId()
  await sql`
    insert into messages (room_id, house_id, id, author_id, device_id, content)
    select ${den.room_id}, ${den.id}, ${first}::bigint + n, ${ann.id}, ${ann.session_id}, repeat('a', 4000)
    from generate_series(1, 4300) as n`.execute(db)
  const path = archivePath()
  const { code, err } = await hearth('export-house', den.id, path)
  expect([code, err]).toEqual([1, 'The archive unpacks to far more than a house archive does.'])
  expect(existsSync(path)).toBe(false)
})
