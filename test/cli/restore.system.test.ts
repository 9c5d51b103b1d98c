import { appendFile, cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { backUp } from '../../src/cli/backup.ts'
import { openDatabaseWithoutTimeouts } from '../../src/database/client.ts'
import { listMigrations, migrateEmpty } from '../../src/database/migrations/migrate.ts'
import { claimNodeNumber } from '../../src/database/node-number.ts'
import { openFolderStore } from '../../src/storage/store.ts'
import { emptyPlace, filesIn, places } from '../support/backup.ts'
import { environment, hearth, hearthIn } from '../support/cli.ts'
import { onServer } from '../support/database-server.ts'
import { ownWorld } from '../support/own-world.ts'
import { picture } from '../support/pictures.ts'
import { detour, openTcpProxy } from '../support/tcp-proxy.ts'
import { call, friends, node as ownNode, user } from '../support/world.ts'

await ownWorld()

const folder = join(places, 'backup')
const [ann, bob] = [await user(), await user()]

/** A damaged copy of the backup. */
async function damagedBackup(damage: (copy: string) => Promise<void>): Promise<string> {
  const copy = join(places, `copy-${Math.random()}`)
  await cp(folder, copy, { recursive: true })
  await damage(copy)
  return copy
}

beforeAll(async () => {
  const [icon, header] = [await picture('png'), await picture('jpeg')].map((each) => each.toString('base64'))
  await call(ann, 'PATCH', '/users/@me', { icon, header, bio: 'tabs' })
  await friends(ann, bob)
  expect(await hearth('backup', folder)).toMatchObject({ code: 0, err: '' })
  await ownNode.release()
})

test('restore refuses a database with rows', async () => {
  const place = { ...(await emptyPlace()), DATABASE_URL: environment().DATABASE_URL }
  const { code, err } = await hearthIn(place, 'restore', folder)
  expect(code).toBe(1)
  expect(err).toMatch(/^The database is not empty, [a-z_]+ has rows: restore into an empty one\.$/)
  expect(await filesIn(place)).toEqual([])
})

test('restore refuses a store with files', async () => {
  const place = await emptyPlace()
  await openFolderStore(join(place.DATA_DIR, 'files')).write('a/file', Buffer.from('x'))
  const { code, err } = await hearthIn(place, 'restore', folder)
  expect([code, err]).toEqual([1, 'The store is not empty, it holds a/file: restore into an empty one.'])
})

test('restore refuses a database that a server runs on', async () => {
  const place = await emptyPlace()
  const node = await claimNodeNumber(place.DATABASE_URL)
  const { code, err } = await hearthIn(place, 'restore', folder)
  await node.release()
  expect([code, err]).toEqual([1, 'A server runs on this database: stop it first.'])
})

test('restore refuses a folder that is no backup, and a manifest of another format', async () => {
  const place = await emptyPlace()
  const none = await hearthIn(place, 'restore', places)
  expect([none.code, none.err]).toEqual([
    1,
    `${places} is no backup: it has no manifest.json that can be read.`,
  ])
  const missing = await hearthIn(place, 'restore', `${places}/missing`)
  expect([missing.code, missing.err]).toEqual([1, `There is no folder ${places}/missing.`])
  const copy = await damagedBackup((each) => writeFile(join(each, 'manifest.json'), '{"format": 2}'))
  const other = await hearthIn(place, 'restore', copy)
  expect([other.code, other.err]).toEqual([1, `${copy}/manifest.json is not a manifest of format 1.`])
})

test('restore refuses a backup of another version of the tables', async () => {
  const copy = await damagedBackup(async (each) => {
    const path = join(each, 'manifest.json')
    const manifest = JSON.parse(await readFile(path, 'utf8'))
    manifest.migrations.push('9999_later')
    await writeFile(path, JSON.stringify(manifest))
  })
  const { code, err } = await hearthIn(await emptyPlace(), 'restore', copy)
  expect(code).toBe(1)
  expect(err).toMatch(/^The backup has the tables of 9999_later and this version those of [0-9]{4}_[a-z_]+: /)
})

test('restore takes a backup of an earlier version, which the next start migrates', async () => {
  const [earlier, place] = [await emptyPlace(), await emptyPlace()]
  const migrations = await listMigrations()
  const db = openDatabaseWithoutTimeouts(earlier.DATABASE_URL)
  await migrateEmpty(db, migrations.length - 1).finally(() => db.destroy())
  await onServer(
    earlier.DATABASE_URL,
    `insert into users (id, username, name) values (77, 'of-before', 'Ann')`,
  )
  const old = join(places, 'old')
  await backUp(earlier.DATABASE_URL, openFolderStore(join(places, 'no-files')), old)
  const restored = await hearthIn(place, 'restore', old)
  expect(restored).toMatchObject({ code: 0, err: '' })
  expect(restored.out).toContain('The next start brings the tables into the form of this version.')
  expect((await hearthIn(place, 'migrate')).out).toBe(`Migrated to ${migrations.at(-1)}.`)
  expect((await hearthIn(place, 'show-user', 'of-before')).code).toBe(0)
})

test('restore refuses tables that are newer than the backup', async () => {
  const place = await emptyPlace()
  const copy = await damagedBackup(async (each) => {
    const path = join(each, 'manifest.json')
    const manifest = JSON.parse(await readFile(path, 'utf8'))
    manifest.migrations.pop()
    await writeFile(path, JSON.stringify(manifest))
  })
  await hearthIn(place, 'migrate')
  const { code, err } = await hearthIn(place, 'restore', copy)
  expect([code, err]).toEqual([
    1,
    'The database has the tables of a later version than the backup: restore into an empty one.',
  ])
})

test('restore refuses a database with rows of something else, and makes no tables in it', async () => {
  const place = await emptyPlace()
  await onServer(place.DATABASE_URL, 'create table theirs as select 42 as n')
  const { code, err } = await hearthIn(place, 'restore', folder)
  expect([code, err]).toEqual([1, 'The database is not empty, theirs has rows: restore into an empty one.'])
  expect((await hearthIn(place, 'migrate')).out).toMatch(/^Migrated to 0001_/)
})

const outside = '{"name":"../outside","size":1,"sha256":""}\n'

test.each([
  [
    'a table with a row more',
    'database/friendships.copy',
    '1\t2\t2020-01-01 00:00:00+00\n',
    /friendships\.copy is damaged/,
  ],
  ['a table with a line that is no row', 'database/settings.copy', 'bad\n', /settings\.copy is damaged/],
  ['a file list with a line more', 'files.jsonl', 'bad\n', /files\.jsonl is damaged: "bad" is no file/],
  ['a file list with a name outside', 'files.jsonl', outside, /files\.jsonl is damaged: .* is no file/],
])('restore refuses %s, and leaves nothing behind', async (_what, path, more, sentence) => {
  const place = await emptyPlace()
  const copy = await damagedBackup((each) => appendFile(join(each, path), more))
  const first = await hearthIn(place, 'restore', copy)
  expect(first.code).toBe(1)
  expect(first.err).toMatch(sentence)
  expect(first.err).not.toContain('\n')
  expect(await filesIn(place)).toEqual([])
  // What was refused left the place empty: the undamaged backup still goes in.
  expect(await hearthIn(place, 'restore', folder)).toMatchObject({ code: 0, err: '' })
})

test.each(['database/users.copy', 'files.jsonl'])(
  'restore of a backup without its %s names it',
  async (path) => {
    const copy = await damagedBackup((each) => rm(join(each, path)))
    const { code, err } = await hearthIn(await emptyPlace(), 'restore', copy)
    expect(code).toBe(1)
    expect(err).toMatch(/^Backup folder [^\n]*: ENOENT[^\n]*\.$/)
    expect(err).toContain(join(copy, path))
  },
)

test('restore of a backup that lacks a file of the store names it', async () => {
  const copy = await damagedBackup((each) => rm(join(each, 'files/users'), { recursive: true }))
  const { code, err } = await hearthIn(await emptyPlace(), 'restore', copy)
  expect(code).toBe(1)
  expect(err).toMatch(/^The backup is damaged: its file users\/[^ ]+ is missing\.$/)
})

test('restore refuses a file list with a name changed, even if a file has that name', async () => {
  const place = await emptyPlace()
  const copy = await damagedBackup(async (each) => {
    const path = join(each, 'files.jsonl')
    const list = await readFile(path, 'utf8')
    const { name } = JSON.parse(list.split('\n')[0]!)
    await rename(join(each, 'files', name), join(each, 'files/other'))
    await writeFile(path, list.replace(name, 'other'))
  })
  const { code, err } = await hearthIn(place, 'restore', copy)
  expect([code, err]).toEqual([1, 'The backup is damaged: files.jsonl is not what the manifest says.'])
  expect(await filesIn(place)).toEqual([])
})

test('restore refuses a table with one word changed, and leaves the database empty', async () => {
  const place = await emptyPlace()
  const copy = await damagedBackup(async (each) => {
    const path = join(each, 'database/users.copy')
    await writeFile(path, (await readFile(path, 'utf8')).replace('tabs', 'tabz'))
  })
  const { code, err } = await hearthIn(place, 'restore', copy)
  expect([code, err]).toEqual([
    1,
    `${copy}/database/users.copy is damaged: it is not what the manifest says.`,
  ])
  expect(await hearthIn(place, 'create-user', 'new@example.org', ann.username)).toMatchObject({ code: 0 })
})

test('restore refuses a file with other bytes, and takes back the files it had brought', async () => {
  const place = await emptyPlace()
  const copy = await damagedBackup(async (each) => {
    const names = await readdir(join(each, 'files'), { recursive: true })
    const last = (await readFile(join(each, 'files.jsonl'), 'utf8')).trim().split('\n').at(-1)!
    expect(names).toContain(JSON.parse(last).name)
    await appendFile(join(each, 'files', JSON.parse(last).name), 'x')
  })
  const { code, err } = await hearthIn(place, 'restore', copy)
  expect(code).toBe(1)
  expect(err).toMatch(/^The backup is damaged: its file [^ ]+ is not what files\.jsonl says\.$/)
  expect(await filesIn(place)).toEqual([])
  expect((await hearthIn(place, 'list-houses')).out).toBe('There are no houses.')
})

test.each([
  ['was carried out', true],
  ['was not', false],
])('a restore whose commit is not answered asks whether it %s', async (_what, isCarriedOut) => {
  const place = await emptyPlace()
  loseCommit(async (client, commit) => {
    if (isCarriedOut) await commit()
    else await client.end()
  })
  const { code, err } = await hearthIn(place, 'restore', folder)
  if (isCarriedOut) expect([code, err]).toEqual([0, ''])
  else expect([code, err]).toEqual([1, expect.stringMatching(/^DATABASE_URL cannot be used: /)])
  expect((await filesIn(place)).length).toBe(isCarriedOut ? 2 : 0)
  const again = await hearthIn(place, 'restore', folder)
  expect(again.code).toBe(isCarriedOut ? 1 : 0)
})

test('a restore whose connection breaks while its files are copied takes them back', async () => {
  const place = await emptyPlace()
  const { query } = pg.Client.prototype
  async function breakAfter(this: pg.Client & { processID?: number }, ...args: unknown[]) {
    const answer = await Reflect.apply(query, this, args)
    await onServer(place.DATABASE_URL, `select pg_terminate_backend(${this.processID}, 5000)`)
    return answer
  }
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    if (args[0] !== 'analyze') return Reflect.apply(query, this, args)
    spy.mockRestore()
    return Reflect.apply(breakAfter, this, args)
  } as typeof query)
  onTestFinished(() => spy.mockRestore())
  const { code, err } = await hearthIn(place, 'restore', folder)
  expect([code, err]).toEqual([1, expect.stringMatching(/^DATABASE_URL cannot be used: [^\n]+$/)])
  expect(await filesIn(place)).toEqual([])
  expect(await hearthIn(place, 'restore', folder)).toMatchObject({ code: 0, err: '' })
})

test('a restore that cannot ask whether its rows are there leaves the files, and says so', async () => {
  const place = await emptyPlace()
  const way = detour(place.DATABASE_URL)
  const proxy = await openTcpProxy(way.target)
  onTestFinished(() => proxy.close())
  loseCommit(async (_client, commit) => {
    await commit()
    await proxy.set('refuse')
  })
  const detoured = { ...place, DATABASE_URL: way.through(proxy.port) }
  const { code, err } = await hearthIn(detoured, 'restore', folder)
  expect(code).toBe(1)
  expect(err).toMatch(
    /^The database went away at the end \([^\n]*ECONNREFUSED[^\n]*\): it has all rows or none, /,
  )
  expect((await filesIn(place)).length).toBe(2)
})

/** Breaks the connection of one restore at its commit. */
function loseCommit(meanwhile: (client: pg.Client, commit: () => Promise<unknown>) => Promise<void>) {
  const { query } = pg.Client.prototype
  let restoring: pg.Client | undefined
  function send(this: pg.Client, ...args: unknown[]): unknown {
    const pass = () => Reflect.apply(query, this, args)
    if (args[0] === 'analyze') restoring = this
    if (this !== restoring || args[0] !== 'commit') return pass()
    spy.mockRestore()
    return meanwhile(this, pass).then(() => Promise.reject(new Error('Connection terminated unexpectedly')))
  }
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(send as typeof query)
  onTestFinished(() => spy.mockRestore())
}
