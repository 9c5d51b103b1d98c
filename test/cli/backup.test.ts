import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { saveFiles } from '../../src/cli/backup.ts'
import { withFolderErrors } from '../../src/cli/backup-folder.ts'
import { openDatabase } from '../../src/database/client.ts'
import { openBus } from '../../src/events/bus.ts'
import { openFolderStore } from '../../src/storage/store.ts'
import { emptyPlace, places } from '../support/backup.ts'
import { environment, hearth, hearthIn } from '../support/cli.ts'
import { filePart, multipart } from '../support/multipart.ts'
import { ownWorld } from '../support/own-world.ts'
import { picture } from '../support/pictures.ts'
import { eraseOnceFound } from '../support/store.ts'
import {
  app,
  block,
  call,
  config,
  db,
  friends,
  group,
  house,
  houseRoom,
  message,
  node,
  oneToOne,
  type Person,
  presences,
  role,
  store,
  user,
} from '../support/world.ts'

await ownWorld()

const folder = join(places, 'backup')
const [ann, bob, cat, out] = [await user(), await user(), await user(), await user()]
/** What every one of them asks for, before and after. */
const paths: string[] = []
let made: Awaited<ReturnType<typeof hearth>>
/** What they were answered when the backup was made. */
let before: Awaited<ReturnType<typeof answersOf>>

beforeAll(async () => {
  const den = await house({ owner: ann, members: [bob, cat] })
  const quiet = await houseRoom(den, { name: 'quiet' })
  await role(den, { allow: 8, position: 2, members: [bob] })
  const icon = (await picture()).toString('base64')
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'The Den', icon })
  await call(bob, 'PATCH', '/users/@me', { icon, header: icon, bio: 'tabs\tand\nlines \\N \\. ünïcödé 🦊' })
  await call(ann, 'PUT', `/houses/${den.id}/bans/${out.id}`, { reason: 'spam' })
  const invite = await call(ann, 'POST', `/houses/${den.id}/invites`, { max_uses: 3 })
  await call(ann, 'POST', '/bots', { username: 'a-bot', name: 'A bot' })
  await friends(ann, bob)
  await block(cat, out)
  await call(out, 'POST', '/relationships/@me/friend-requests', { user_id: bob.id })
  const pair = await oneToOne(ann, bob)
  const trio = await group(ann, bob, cat)
  const said = await message(den.room_id, ann, { content: `hello <@${bob.id}> \\.\n\t`, mentions: [bob] })
  for (const room of [den.room_id, quiet, pair, trio]) {
    await call(bob, 'POST', `/rooms/${room}/messages`, { content: `words from bob in ${room}` })
  }
  const sent = multipart(filePart(Buffer.alloc(300_000, 'abc'), 'letters.txt'), {
    name: 'content',
    value: 'look',
  })
  const media = await call(bob, 'POST', `/rooms/${pair}/media_messages`, undefined, sent)
  await call(ann, 'POST', `/rooms/${den.room_id}/messages/${said}/ack`)
  const me = await call(bob, 'GET', '/users/@me')
  const seen = await call(ann, 'GET', `/houses/${den.id}`)
  paths.push(
    ...['', '/houses', '/rooms', '/read-state', '/settings', '/sessions'].map((end) => `/users/@me${end}`),
    ...['blocked', 'friend-requests', 'friends', 'restricted'].map((end) => `/relationships/@me/${end}`),
    ...['', '/bans', '/invites', '/members', '/roles', '/rooms', `/members/${bob.id}`].map(
      (end) => `/houses/${den.id}${end}`,
    ),
    ...[den.room_id, quiet, pair, trio].flatMap((id) => [`/rooms/${id}`, `/rooms/${id}/messages`]),
    `/houses/${den.id}/messages/search?q=words`,
    `/rooms/${pair}/messages/search?q=words`,
    `/rooms/${den.room_id}/messages/${said}`,
    ...['/streams/@me/feed', '/streams/@me/mentions', '/bots', `/users/${out.username}`],
    `/relationships/${bob.id}/mutual-friends`,
    `/invites/${invite.body.data.code}`,
    `/users/${bob.id}/icons/${me.body.data.icon}`,
    `/users/${bob.id}/headers/${me.body.data.header}`,
    `/houses/${den.id}/icons/${seen.body.data.icon}`,
    media.body.data.attachment.media_url.replace('http://hearth.test', ''),
  )
  before = await answersOf(app)
  await mkdir(folder, { mode: 0o755 })
  made = await hearth('backup', folder)
})

/** What everybody gets for every path. */
async function answersOf(asked: typeof app) {
  const answers: Record<string, { status: number; type: unknown; body: unknown }> = {}
  const asking = Object.entries({ ann, bob, cat, out, nobody: null as Person | null })
  const askAll = async ([name, who]: (typeof asking)[number]) => {
    for (const url of paths) {
      const headers = who ? { authorization: who.token } : {}
      const { statusCode, headers: told, rawPayload } = await asked.inject({ url, headers })
      // A map has no order, so that JSON is compared parsed.
      const isJson = String(told['content-type']).includes('json')
      const body = isJson ? JSON.parse(rawPayload.toString()) : rawPayload.toString('base64')
      answers[`${name} ${url}`] = { status: statusCode, type: told['content-type'], body }
    }
  }
  await Promise.all(asking.map(askAll))
  return answers
}

test('a backup restored into an empty place answers every request as before', async () => {
  const found = Object.entries(before).filter(([, { status }]) => status === 200)
  expect(paths.filter((url) => !found.some(([key]) => key.endsWith(` ${url}`)))).toEqual([])

  expect(made).toMatchObject({ code: 0, err: '' })
  expect(made.out).toMatch(/ holds [0-9]+ rows of [0-9]+ tables and 4 files\.$/)

  const place = await emptyPlace()
  const restored = await hearthIn(place, 'restore', folder, '--keep-sessions')
  expect(restored).toMatchObject({ code: 0, err: '' })
  expect(restored.out).toMatch(/^Restored [0-9]+ rows and 4 files of 20[^\n]*$/)

  const db = openDatabase(place.DATABASE_URL)
  const store = openFolderStore(join(place.DATA_DIR, 'files'))
  const other = await buildApp({ config, db, store, bus: await openBus(db, node), presences })
  try {
    expect(await answersOf(other)).toEqual(before)
    const url = paths.find((path) => path.endsWith('/messages'))!
    const headers = { authorization: ann.token }
    const sent = await other.inject({ method: 'POST', url, headers, payload: { content: 'after' } })
    expect(sent.statusCode).toBe(200)
  } finally {
    await other.close()
    await db.destroy()
  }
})

test('a backup has mode 700 and 600, and overwrites no other', async () => {
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  for (const file of ['.gitignore', 'manifest.json', 'files.jsonl', 'database/users.copy']) {
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600)
  }
  const { code, err } = await hearth('backup', folder)
  expect([code, err]).toEqual([1, `${folder} is not empty: name a new folder.`])
})

test('git leaves a backup out that lies in a checkout', async () => {
  const checkout = join(places, 'checkout')
  await promisify(execFile)('git', ['init', '--quiet', checkout])
  await hearth('backup', join(checkout, 'backup'))
  const { stdout } = await promisify(execFile)('git', ['-C', checkout, 'status', '--porcelain', '--ignored'])
  expect(stdout).toBe('!! backup/\n')
})

test('what is in transit between processes is in no backup', async () => {
  const tables = await readdir(join(folder, 'database'))
  expect(tables).toContain('users.copy')
  expect(tables).not.toContain('presences.copy')
})

test('a backup is a consistent snapshot under concurrent writes', async () => {
  const later = join(places, 'later')
  const waits = async () => {
    const { rows } = await sql`
      select from pg_locks join pg_stat_activity using (pid)
      where application_name = 'hearth backup' and not granted and datname = current_database()`.execute(db)
    return rows.length > 0
  }
  const backingUp = await db.transaction().execute(async (trx) => {
    await sql`lock table friendships`.execute(trx)
    const running = hearth('backup', later)
    await vi.waitUntil(waits, { timeout: 60_000 })
    // Of a table that is copied after this one.
    await sql`delete from read_states`.execute(trx)
    return { running }
  })
  expect(await backingUp.running).toMatchObject({ code: 0, err: '' })
  expect(await readFile(join(later, 'database/read_states.copy'))).toEqual(
    await readFile(join(folder, 'database/read_states.copy')),
  )
})

test('a backup is the same in whatever form the database prefers to write dates and bytes', async () => {
  const name = new URL(environment().DATABASE_URL).pathname.slice(1)
  const prefer = (what: string) => sql.raw(`alter database ${name} ${what}`).execute(db)
  onTestFinished(async () => void (await prefer('reset all')))
  await prefer(`set datestyle to 'SQL, DMY'`)
  await prefer('set bytea_output to escape')
  const other = join(places, 'other-form')
  expect(await hearth('backup', other)).toMatchObject({ code: 0, err: '' })
  for (const file of ['friendships.copy', 'sessions.copy']) {
    const [there, here] = [folder, other].map((each) => readFile(join(each, 'database', file), 'utf8'))
    expect(await here).toBe(await there)
  }
})

test('files that are erased while a backup is made are left out of it', async () => {
  const place = join(places, 'erased')
  await mkdir(place)
  const source = openFolderStore(join(places, 'source'))
  for (const name of ['kept', 'opened', 'listed']) await source.write(name, Buffer.from(name))
  const undo = eraseOnceFound(source, 'opened')
  const { list } = source
  source.list = async function* () {
    for await (const name of list()) {
      if (name === 'listed') await source.remove(name)
      yield name
    }
  }
  const { count } = await saveFiles(source, place)
  undo()
  expect([count, await readdir(join(place, 'files'))]).toEqual([1, ['kept']])
})

test('a full disk ends a backup in a sentence that names its folder', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    errno: -28,
  })
  const content = () =>
    new Readable({
      read() {
        this.destroy(full)
      },
    })
  const source = { ...store, find: async () => ({ size: 7, open: async () => content() }) }
  const place = join(places, 'full')
  await mkdir(place)
  await expect(withFolderErrors('/backup', () => saveFiles(source, place))).rejects.toThrow(
    'Backup folder /backup: ENOSPC: no space left on device, write.',
  )
})

test('a backup to where no folder can be made fails in a sentence', async () => {
  const { code, err } = await hearth('backup', '/dev/null/backup')
  expect(code).toBe(1)
  expect(err).toMatch(/^Backup folder \/dev\/null\/backup: ENOTDIR[^\n]*\.$/)
})
