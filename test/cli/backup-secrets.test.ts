import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { hashToken } from '../../src/auth/tokens.ts'
import { verifyBackup } from '../../src/cli/verify-backup.ts'
import { type Db, openDatabase } from '../../src/database/client.ts'
import { newId } from '../../src/ids.ts'
import { password, resident } from '../support/accounts.ts'
import { emptyPlace, filesIn, otherServer, places } from '../support/backup.ts'
import { hearth, hearthIn } from '../support/cli.ts'
import { exportPath, ready } from '../support/exports.ts'
import { ownWorld } from '../support/own-world.ts'
import { call, db, user } from '../support/world.ts'

await ownWorld()

const folder = join(places, 'secrets')
const ann = await resident()
const bot = await user({ bot_of: ann })
const [secret, endpoint, auth] = ['JBSWY3DPEHPK3PXP', 'https://push.example/of-ann', 'auth-of-her-browser']
const [reset, oidc] = [randomBytes(32), randomBytes(32)]
let key: string

beforeAll(async () => {
  await call(ann, 'POST', exportPath, { password })
  const { url } = await ready(ann)
  key = (await db.selectFrom('exports').select('key').executeTakeFirstOrThrow()).key
  expect(url).toContain(key)
  const expires_at = new Date(Date.now() + 3_600_000)
  const code = { user_id: ann.id, purpose: 'reset_password', email: 'ann@example.org', expires_at }
  await db
    .insertInto('account_codes')
    .values({ ...code, code_hash: reset })
    .execute()
  const login = {
    code_hash: oidc,
    issuer: 'https://login.example',
    subject: 'ann',
    profile: '{}',
    expires_at,
  }
  await db.insertInto('oidc_codes').values(login).execute()
  const ids = { id: newId(), user_id: ann.id, session_id: ann.session_id }
  await db
    .insertInto('push_subscriptions')
    .values({ ...ids, endpoint, auth, p256dh: 'public' })
    .execute()
  await db.updateTable('users').set({ totp_secret: secret }).where('id', '=', ann.id).execute()
  await db
    .updateTable('users')
    .set({ totp_secret: 'KRSXG5CTMVRXEZLU', mfa_enabled: true })
    .where('id', '=', (await resident()).id)
    .execute()
  expect(await hearth('backup', folder)).toMatchObject({ code: 0, err: '' })
})

/** The name and the content of every file of the backup. */
async function contents(): Promise<string> {
  const names = await readdir(folder, { recursive: true })
  const texts = names.map(async (name) => {
    const path = join(folder, name)
    return (await stat(path)).isFile() ? `${name}\n${await readFile(path, 'latin1')}` : name
  })
  return (await Promise.all(texts)).join('\n')
}

/** Restores the backup. Returns the result of `read` from the restored database. */
async function restored<Found>(read: (db: Db) => Promise<Found>, ...options: string[]) {
  const place = await emptyPlace()
  const { code, out, err } = await hearthIn(place, 'restore', folder, ...options)
  expect([code, err]).toEqual([0, ''])
  const other = openDatabase(place.DATABASE_URL)
  try {
    return { found: await read(other), out, files: await filesIn(place) }
  } finally {
    await other.destroy()
  }
}

async function sessionsIn(other: Db) {
  const rows = await other.selectFrom('sessions').select('token_hash').execute()
  const has = (token: string) => rows.some(({ token_hash }) => token_hash.equals(hashToken(token)))
  return { ann: has(ann.token), bot: has(bot.token) }
}

test('a backup has no code, export, endpoint of a browser, pending second factor or token', async () => {
  const all = await contents()
  expect(all).toContain(ann.id)
  // The secret of a second factor in use.
  expect(all).toContain('KRSXG5CTMVRXEZLU')
  const hidden = [
    key,
    reset.toString('hex'),
    oidc.toString('hex'),
    endpoint,
    auth,
    secret,
    ann.token,
    bot.token,
  ]
  expect(hidden.filter((text) => all.includes(text))).toEqual([])
})

test('a backup that leaves something out is verified', async () => {
  const migrated = async () => ({ url: (await otherServer()).DATABASE_URL, remove: async () => {} })
  await verifyBackup(folder, migrated, AbortSignal.any([]))
})

test('a restore ends the login sessions and the tokens of bots, and says so', async () => {
  const { found, out, files } = await restored(sessionsIn)
  expect(found).toEqual({ ann: false, bot: false })
  expect(out).toMatch(/\nAll login sessions and the tokens of all bots have ended\.$/)
  expect(files).toEqual([])
})

test('a restore keeps the tokens of bots, or all login sessions, if told so', async () => {
  const ofBots = await restored(sessionsIn, '--keep-bot-tokens')
  expect(ofBots.found).toEqual({ ann: false, bot: true })
  expect(ofBots.out).toMatch(/\nAll login sessions of people have ended\.$/)
  const all = await restored(sessionsIn, '--keep-sessions')
  expect(all.found).toEqual({ ann: true, bot: true })
  expect(all.out).not.toContain('ended')
})
