import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startExporting } from '../../../src/accounts/exports/making-operations.ts'
import { upsertSubscription } from '../../../src/accounts/push-subscriptions/queries.ts'
import { StoreUnavailable } from '../../../src/errors.ts'
import { newId } from '../../../src/ids.ts'
import { eraseDiscarded } from '../../../src/storage/discard.ts'
import type { Store } from '../../../src/storage/store.ts'
import { password, resident } from '../../support/accounts.ts'
import { download, exportPath, fileOf, noExport, ready, waitingExport } from '../../support/exports.ts'
import { filePart, multipart } from '../../support/multipart.ts'
import { otherApp } from '../../support/other-app.ts'
import { noPermission, told } from '../../support/permissions.ts'
import { pushSubscription } from '../../support/push-keys.ts'
import { isDiscarded } from '../../support/store.ts'
import {
  block,
  call,
  db,
  failure,
  friends,
  house,
  message,
  oneToOne,
  role,
  store,
  user,
} from '../../support/world.ts'
import { jsonLines } from '../../support/zip.ts'

test('an export holds all that is one’s own, and nothing that proves one', async () => {
  const ann = await resident('ann')
  const [bob, cat, dan] = [await user(), await user(), await user()]
  const den = await house({ owner: bob, members: [ann] })
  await role(den, { members: [ann] })
  await friends(ann, bob)
  await block(ann, cat)
  const { endpoint, keys } = pushSubscription
  const { id: user_id, session_id } = ann
  await upsertSubscription(db, { id: newId(), user_id, session_id, endpoint, ...keys })
  const pair = await oneToOne(ann, bob)
  const first = await message(den.room_id, ann, { content: `hi <@${bob.id}>`, mentions: [bob] })
  await message(den.room_id, bob, { content: 'not Ann’s' })
  const second = await message(pair, ann, { content: 'psst' })
  await message(await oneToOne(dan, bob), dan, { content: 'of others' })
  const sent = await call(
    ann,
    'POST',
    `/rooms/${pair}/media_messages`,
    undefined,
    multipart(filePart('bytes', 'note.txt')),
  )
  const { id: third } = sent.body.data
  // No client gives such a name, but one that did would write outside of where it is unpacked.
  await sql`update messages set attachment = jsonb_set(attachment, '{filename}', '".."') where id = ${third}`.execute(
    db,
  )
  expect((await call(ann, 'GET', exportPath)).body.data).toEqual(noExport)
  const answer = await call(ann, 'POST', exportPath, { password })
  expect([answer.status, answer.body.data]).toEqual([200, waitingExport])
  const { url, expires_at, progress } = await ready(ann)
  expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(23 * 3_600_000)
  expect(progress).toBe(100)

  const { reply, files } = await download(url)
  expect(reply.headers).toMatchObject({
    'content-type': 'application/zip',
    'content-disposition': 'attachment; filename="hearth-export.zip"',
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  })
  expect(Object.keys(files).sort()).toEqual(
    [
      'account.json',
      `attachments/${pair}/${third}-..`,
      'houses.json',
      `messages/${den.room_id}.jsonl`,
      `messages/${pair}.jsonl`,
      'private-rooms.jsonl',
      'relationships.jsonl',
      'rooms.json',
      'settings.json',
    ].sort(),
  )
  const account = JSON.parse(files['account.json']!)
  expect(account).toMatchObject({ id: ann.id, username: ann.username, email: ann.email })
  expect(account.sessions).toHaveLength(1)
  expect(account.push_subscriptions).toMatchObject([{ session_id, endpoint }])
  expect(files['account.json']).not.toContain(keys.auth)
  expect(Object.values(files).join()).not.toMatch(/password|token|totp|of others|not Ann/)
  expect(JSON.parse(files['houses.json']!)).toMatchObject([{ id: den.id, roles: ['role'], is_owner: false }])
  expect(jsonLines(files['relationships.jsonl']!)).toMatchObject([
    { username: bob.username, relation: 'friend' },
    { username: cat.username, relation: 'blocked' },
  ])
  expect(jsonLines(files['private-rooms.jsonl']!)).toMatchObject([{ id: pair, kind: 'one-to-one' }])
  expect(jsonLines(files[`messages/${den.room_id}.jsonl`]!)).toMatchObject([
    { id: first, content: `hi <@${bob.id}>`, mentions: [bob.id], attachment: null },
  ])
  const file = `attachments/${pair}/${third}-..`
  expect(jsonLines(files[`messages/${pair}.jsonl`]!)).toMatchObject([
    { id: second, content: 'psst' },
    { id: third, attachment: { filename: '..', size: 5, file } },
  ])
  expect(files[file]).toBe('bytes')
  expect(JSON.parse(files['settings.json']!)).toMatchObject({ user_id: ann.id })
})

test('a wrong password, a bot and a body without one get no export', async () => {
  const ann = await resident()
  const wrong = failure('invalid_credentials', 'The login or password is wrong')
  expect(told(await call(ann, 'POST', exportPath, { password: 'wrong one' }))).toEqual([400, wrong])
  for (const body of [{}, { password: 5 }, { password: null }]) {
    expect((await call(ann, 'POST', exportPath, body)).body.error.code).toBe('invalid_schema')
  }
  const bot = await user({ bot_of: ann })
  expect(told(await call(bot, 'POST', exportPath, { password }))).toEqual([400, noPermission])
  expect(
    await db.selectFrom('exports').select('key').where('user_id', 'in', [ann.id, bot.id]).execute(),
  ).toEqual([])
})

test('while an export is being made, a request answers its state', async () => {
  const ann = await resident()
  const leased_until = new Date(Date.now() + 86_400_000)
  const making = { user_id: ann.id, key: 'e'.repeat(64), progress: 42, leased_until }
  await db.insertInto('exports').values(making).execute()
  const answers = await Promise.all([1, 2, 3].map(() => call(ann, 'POST', exportPath, { password })))
  const state = { ...waitingExport, progress: 42 }
  expect(answers.map(({ body }) => body.data)).toEqual([state, state, state])
  const rows = await db.selectFrom('exports').select('key').where('user_id', '=', ann.id).execute()
  expect(rows).toEqual([{ key: making.key }])
})

test('an account has two exports a day', async () => {
  const limited = await otherApp({ rateLimit: true }, { now: () => 0 })
  const ann = await resident()
  const ask = () => limited.call(ann, 'POST', exportPath, { password })
  expect((await ask()).status).toBe(200)
  const { url } = await ready(ann)
  expect((await ask()).status).toBe(200)
  const second = await ready(ann)
  expect(second.url).not.toBe(url)
  // The first one ends with the second.
  expect((await download(url)).reply.statusCode).toBe(404)
  const refused = await ask()
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limit'])
  expect((await ready(ann)).url).toBe(second.url)
})

test('with the account its export ends', async () => {
  const ann = await resident()
  await call(ann, 'POST', exportPath, { password })
  const { url } = await ready(ann)
  expect((await call(ann, 'DELETE', '/users/@me', { password })).status).toBe(200)
  expect((await download(url)).reply.statusCode).toBe(404)
  const due = await db
    .selectFrom('discarded_files')
    .select('name')
    .where('name', '=', fileOf(ann, url))
    .where('discarded_at', '<=', sql<Date>`now()`)
    .execute()
  expect(due).toHaveLength(1)
})

test('an export that fails is made again, and given up after three attempts', async () => {
  const ann = await resident()
  const failing: Store = { ...store, write: () => Promise.reject(new Error('the store is gone')) }
  const failed: unknown[] = []
  await db
    .insertInto('exports')
    .values({ user_id: ann.id, key: 'a'.repeat(64) })
    .execute()
  const exporter = startExporting(db, failing, (error) => failed.push(error))
  onTestFinished(() => exporter.stop())
  await vi.waitFor(async () => {
    // As a minute later.
    const leased_until = sql<Date>`now() - interval '1 second'`
    await db
      .updateTable('exports')
      .set({ leased_until })
      .where('user_id', '=', ann.id)
      .where('leased_until', 'is not', null)
      .execute()
    exporter.wake()
    expect((await call(ann, 'GET', exportPath)).body.data).toEqual(noExport)
  }, 60_000)
  expect(failed.map((error) => (error as Error).message)).toEqual(Array(3).fill('the store is gone'))
})

test('an export whose account is deleted while its file is written leaves no file', async () => {
  const ann = await resident()
  const name = `exports/${ann.id}/${'b'.repeat(64)}.zip`
  const written = Promise.withResolvers<void>()
  const late: Store = {
    ...store,
    async write(...file) {
      await call(ann, 'DELETE', '/users/@me', { password })
      while (await isDiscarded(name)) await eraseDiscarded(db, store)
      await store.write(...file).finally(written.resolve)
    },
  }
  await db
    .insertInto('exports')
    .values({ user_id: ann.id, key: 'b'.repeat(64) })
    .execute()
  const exporter = startExporting(db, late, () => {})
  onTestFinished(() => exporter.stop())
  await written.promise
  await vi.waitFor(async () => {
    expect((await isDiscarded(name)) || (await store.find(name)) === undefined).toBe(true)
  }, 60_000)
})

test('an export ends where the disk is nearly full', async () => {
  const ann = await resident()
  let checks = 0
  const nearlyFull: Store = {
    ...store,
    async checkSpace() {
      checks += 1
      if (checks > 1) throw new StoreUnavailable(new Error('the disk is nearly full'))
    },
  }
  await db
    .insertInto('exports')
    .values({ user_id: ann.id, key: 'f'.repeat(64) })
    .execute()
  const failed = Promise.withResolvers<unknown>()
  const exporter = startExporting(db, nearlyFull, failed.resolve)
  onTestFinished(() => exporter.stop())
  expect(await failed.promise).toBeInstanceOf(StoreUnavailable)
  expect(await store.find(`exports/${ann.id}/${'f'.repeat(64)}.zip`)).toBeUndefined()
})

test('an export that a stopped process leaves is made by the next one', async () => {
  const ann = await resident()
  const began = Promise.withResolvers<void>()
  const stalling: Store = {
    ...store,
    async write(_name, content) {
      began.resolve()
      await new Promise((_resolve, reject) => (content as Readable).once('error', reject))
    },
  }
  await db
    .insertInto('exports')
    .values({ user_id: ann.id, key: 'b'.repeat(64) })
    .execute()
  const exporter = startExporting(db, stalling, () => {})
  await began.promise
  await exporter.stop()
  const next = startExporting(db, store, () => {})
  onTestFinished(() => next.stop())
  await ready(ann)
})

test('a large account is exported with its files, in pages', async () => {
  const ann = await resident()
  const { room_id } = await house({ owner: ann })
  const ids = Array.from({ length: 1_200 }, () => newId())
  await sql`insert into messages (id, room_id, author_id, device_id, content)
    select id, ${room_id}::bigint, ${ann.id}::bigint, 1, 'line ' || number
    from unnest(${ids}::bigint[]) with ordinality as them (id, number)`.execute(db)
  await call(ann, 'POST', exportPath, { password })
  const { files } = await download((await ready(ann)).url)
  const lines = jsonLines(files[`messages/${room_id}.jsonl`]!)
  expect(lines.map(({ id }) => id)).toEqual(ids)
  expect(lines.at(-1)!.content).toBe('line 1200')
})
