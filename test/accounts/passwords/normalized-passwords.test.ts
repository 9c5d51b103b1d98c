import { hash } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { issueCode } from '../../../src/accounts/codes/operations.ts'
import { normalizePassword } from '../../../src/auth/passwords.ts'
import { resident } from '../../support/accounts.ts'
import { call, db, type Person } from '../../support/world.ts'

const composed = 'Käsebrötchen ﬁn'.normalize('NFC')
const decomposed = composed.normalize('NFD')
const compatible = composed.normalize('NFKD')

const logIn = ({ username }: Person, typed: string) =>
  call(null, 'POST', '/auth/login', { login: username, password: typed })

async function hashOf({ id }: Person): Promise<string | null> {
  const row = await db
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row.password_hash
}

/** As an earlier version stored it: of the text as it was typed. */
async function storeAsTyped({ id }: Person, typed: string): Promise<void> {
  await db
    .updateTable('users')
    .set({ password_hash: await hash(typed) })
    .where('id', '=', id)
    .execute()
}

test('a password is the same from whatever keyboard it is typed', async () => {
  const ann = await resident('ann')
  const { code } = await issueCode(db, ann.id, 'reset_password', ann.email)
  await call(null, 'POST', '/auth/reset-password', { code, password: decomposed })
  for (const typed of [composed, decomposed, compatible]) expect((await logIn(ann, typed)).status).toBe(200)
  for (const typed of [composed.toLowerCase(), ` ${composed}`, composed.replace('ä', 'a')]) {
    expect((await logIn(ann, typed)).status).toBe(400)
  }
})

test('a password that was stored as typed works as before, and from then on from every keyboard', async () => {
  const bob = await resident('bob')
  await storeAsTyped(bob, decomposed)
  expect((await logIn(bob, composed)).status).toBe(400)
  const answers = await Promise.all([logIn(bob, decomposed), logIn(bob, decomposed)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const replaced = await hashOf(bob)
  for (const typed of [composed, decomposed, compatible]) expect((await logIn(bob, typed)).status).toBe(200)
  expect(await hashOf(bob)).toBe(replaced)
})

test('it works where a route asks for the password, too', async () => {
  const [cem, body] = [await resident('cem'), { password: decomposed }]
  await storeAsTyped(cem, decomposed)
  expect((await call(cem, 'POST', '/users/@me/mfa/totp', body)).status).toBe(200)
  await storeAsTyped(cem, decomposed)
  const change = { current: decomposed, new: 'a new password' }
  expect((await call(cem, 'PATCH', '/users/@me/password', change)).status).toBe(200)
  const dan = await resident('dan')
  await storeAsTyped(dan, decomposed)
  expect((await call(dan, 'DELETE', '/users/@me', body)).status).toBe(200)
})

test('a text that no password can be is not composed, which would take long, and is refused', async () => {
  const marks = `a${'\u0315\u0300'.repeat(30_000)}`
  expect(normalizePassword(marks)).toBe(marks)
  expect((await logIn(await resident('eve'), marks)).status).toBe(400)
})
