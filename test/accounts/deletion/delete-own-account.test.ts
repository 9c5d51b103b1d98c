import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../../src/ids.ts'
import { password, resident } from '../../support/accounts.ts'
import { noPermission, required, told } from '../../support/permissions.ts'
import { publishedAbout } from '../../support/published.ts'
import { untilWaiting } from '../../support/waiting.ts'
import {
  block,
  call,
  db,
  failure,
  friends,
  group,
  house,
  message,
  noAuth,
  oneToOne,
  user,
} from '../../support/world.ts'

const path = '/users/@me'

test('deletion anonymizes the account, transfers houses and groups, ends relationships', async () => {
  const ann = await resident('ann')
  const [bob, cem] = [await user(), await user()]
  await friends(ann, bob)
  await block(cem, ann)
  const den = await house({ owner: ann, members: [bob] })
  const alone = await house({ owner: ann })
  const circle = await group(ann, bob)
  const pair = await oneToOne(ann, bob)
  const said = await message(den.room_id, ann)
  const [icon, header] = [`${'a'.repeat(40)}.webp`, `${'b'.repeat(40)}.webp`]
  const texts = { bio: 'hi', location: 'here', website: 'https://ann.example' }
  const used = { totp_last_step: '2', totp_earlier_steps: [1] }
  const proof = { email_verified: true, mfa_enabled: true, totp_secret: 's', ...used }
  await db
    .updateTable('users')
    .set({ icon, header, public: true, ...texts, ...proof })
    .where('id', '=', ann.id)
    .execute()

  const answer = await call(ann, 'DELETE', path, { password })
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ id: ann.id })
  expect((await call(ann, 'GET', path)).body).toEqual(noAuth)
  const row = await db.selectFrom('users').selectAll().where('id', '=', ann.id).executeTakeFirstOrThrow()
  expect(row).toMatchObject({ username: `deleted-${ann.id}`, name: 'Deleted user', icon: null, header: null })
  expect(row).toMatchObject({ bio: '', location: '', website: '', email: null, email_verified: false })
  expect(row).toMatchObject({ password_hash: null, mfa_enabled: false, totp_secret: null, public: false })
  expect(row).toMatchObject({ totp_last_step: null, totp_earlier_steps: [], deleted_at: expect.any(Date) })
  const owner = await db.selectFrom('houses').select('owner_id').where('id', '=', den.id).executeTakeFirst()
  expect(owner?.owner_id).toBe(bob.id)
  const rooms = await db
    .selectFrom('rooms')
    .select(['id', 'owner_id'])
    .where('id', 'in', [circle, pair])
    .execute()
  expect(rooms).toHaveLength(2)
  expect(rooms).toContainEqual({ id: circle, owner_id: bob.id })
  expect(await db.selectFrom('houses').select('id').where('id', '=', alone.id).execute()).toEqual([])
  const kept = await db.selectFrom('messages').select('author_id').where('id', '=', said).execute()
  expect(kept).toEqual([{ author_id: ann.id }])
  const files = await db
    .selectFrom('discarded_files')
    .select('name')
    .where('name', 'like', `users/${ann.id}/%`)
    .execute()
  expect(files.map((file) => file.name).sort()).toEqual([
    `users/${ann.id}/headers/${header}`,
    `users/${ann.id}/icons/${icon}`,
  ])

  const events = publishedAbout(ann.id, ann.session_id, den.id, alone.id, circle)
  expect(events[0]!.type).toBe('sessions_ended')
  const ended = { type: 'relationship_updated', other_id: ann.id, relationship_type: 0 }
  expect(events.filter((event) => event.type === 'relationship_updated')).toMatchObject([
    { ...ended, user_id: bob.id },
    { ...ended, user_id: cem.id },
  ])
  expect(events).toContainEqual({ type: 'private_room_left', room_id: circle, user_id: ann.id })
  expect(events).toContainEqual({ type: 'house_updated', house_id: den.id })
  expect(events.filter((event) => event.type === 'member_left')).toHaveLength(2)
})

test('deletion removes codes, settings, read states and mentions', async () => {
  const [gus, bob] = [await resident('gus'), await user()]
  const pair = await oneToOne(gus, bob)
  const said = await message(pair, bob, { mentions: [gus] })
  const user_id = gus.id
  const [code_hash, room] = [Buffer.from(gus.id), { user_id, room_id: pair }]
  await db.insertInto('settings').values({ user_id, theme: 'dark' }).execute()
  await db
    .insertInto('room_settings')
    .values({ ...room, notification_preference: 1 })
    .execute()
  await db
    .insertInto('read_states')
    .values({ ...room, message_id: said })
    .execute()
  await db.insertInto('backup_codes').values({ user_id, code_hash }).execute()
  const code = { user_id, purpose: 'reset_password', code_hash, expires_at: new Date(Date.now() + 60_000) }
  await db.insertInto('account_codes').values(code).execute()
  await call(gus, 'DELETE', path, { password })
  const tables = ['settings', 'room_settings', 'read_states', 'backup_codes', 'account_codes'] as const
  for (const table of [...tables, 'mentions', 'sessions'] as const) {
    const rows = await db.selectFrom(table).select('user_id').where('user_id', '=', user_id).execute()
    expect([table, rows]).toEqual([table, []])
  }
})

test('address and username are free again, and lookups do not find the account', async () => {
  const bob = await resident('bob')
  const { username, email } = bob
  await call(bob, 'DELETE', path, { password })
  expect((await call(null, 'GET', `/users/${bob.id}`)).body.error.code).toBe('user_not_found')
  expect((await call(null, 'GET', `/users/deleted-${bob.id}`)).body.error.code).toBe('user_not_found')
  const again = await call(null, 'POST', '/auth/register', { email, username, password })
  expect(again.status).toBe(200)
  expect(again.body.data.user.id).not.toBe(bob.id)
})

test("deletion deletes the account's bots", async () => {
  const cem = await resident('cem')
  const bot = await user({ bot_of: cem })
  await call(cem, 'DELETE', path, { password })
  expect((await call(bot, 'GET', path)).body).toEqual(noAuth)
  const row = await db.selectFrom('users').select('username').where('id', '=', bot.id).executeTakeFirst()
  expect(row?.username).toBe(`deleted-${bot.id}`)
  expect(publishedAbout(bot.session_id)).toEqual([{ type: 'sessions_ended', session_ids: [bot.session_id] }])
})

test('concurrent deletions of two friends in the same houses both succeed', async () => {
  const [dan, eve] = [await resident('dan'), await resident('eve')]
  const bots = [await user({ bot_of: dan }), await user({ bot_of: eve })]
  await friends(dan, eve)
  const dens = [
    await house({ owner: dan, members: [eve, ...bots] }),
    await house({ owner: eve, members: [dan, ...bots] }),
  ]
  await group(dan, eve, ...bots)
  await group(eve, dan, ...bots)
  const answers = await Promise.all([dan, eve].map((one) => call(one, 'DELETE', path, { password })))
  expect(answers.map((answer) => answer.status)).toEqual([200, 200])
  for (const one of [dan, eve, ...bots]) expect((await call(one, 'GET', path)).body).toEqual(noAuth)
  const ids = dens.map((den) => den.id)
  expect(await db.selectFrom('houses').select('id').where('id', 'in', ids).execute()).toEqual([])
})

test('a wrong or missing password and bots are refused, and the account stays', async () => {
  const fay = await resident('fay')
  const bot = await user({ bot_of: fay })
  expect(told(await call(fay, 'DELETE', path, { password: 'wrong one' }))).toEqual([
    400,
    failure('invalid_credentials', 'The login or password is wrong'),
  ])
  for (const body of [undefined, {}, { password: 5 }]) {
    expect(told(await call(fay, 'DELETE', path, body))).toEqual([400, required('password')])
  }
  expect(told(await call(bot, 'DELETE', path, { password }))).toEqual([400, noPermission])
  expect((await call(fay, 'GET', path)).status).toBe(200)
})

test('an account deleted by concurrent requests is deleted once', async () => {
  const gus = await resident('gus')
  const answers = await Promise.all([1, 2].map(() => call(gus, 'DELETE', path, { password })))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
})

test('a deletion is repeated after a deadlock', async () => {
  const [kim, lea] = [await resident('kim'), await user()]
  const den = await house({ owner: lea, members: [kim] })
  const [deleting] = await db.transaction().execute(async (rival) => {
    // Only the deletion detects deadlocks, so PostgreSQL aborts the deletion.
    await sql`set local deadlock_timeout = '1h'`.execute(rival)
    await sql`select from houses where id = ${den.id} for no key update`.execute(rival)
    const [deleting, locking] = await db.transaction().execute(async (trx) => {
      await sql`select from sessions where user_id = ${kim.id} for update`.execute(trx)
      const deleting = call(kim, 'DELETE', path, { password })
      await untilWaiting(1)
      const locking = sql`select from users where id = ${kim.id} for no key update`.execute(rival)
      await untilWaiting(2)
      return [deleting, locking] as const
    })
    await locking
    return [deleting]
  })
  expect((await deleting).status).toBe(200)
})

test('a password that changes during the request is refused', async () => {
  const ida = await resident('ida')
  const [deleting] = await db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${ida.id} for no key update`.execute(trx)
    const deleting = call(ida, 'DELETE', path, { password })
    await untilWaiting(1)
    await trx.updateTable('users').set({ password_hash: 'another' }).where('id', '=', ida.id).execute()
    return [deleting]
  })
  expect(told(await deleting)).toEqual([
    400,
    failure('invalid_credentials', 'The login or password is wrong'),
  ])
  expect((await call(ida, 'GET', path)).status).toBe(200)
})

test('a bot created during the deletion of its owner is deleted', async () => {
  const hal = await resident('hal')
  const botId = newId()
  const [deleting] = await db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${hal.id} for no key update`.execute(trx)
    const deleting = call(hal, 'DELETE', path, { password })
    await untilWaiting(1)
    await trx
      .insertInto('users')
      .values({ id: botId, username: `bot.of.${hal.username}`, name: 'Bot', bot: true, owner_id: hal.id })
      .execute()
    return [deleting]
  })
  expect((await deleting).status).toBe(200)
  const bot = await db.selectFrom('users').select('username').where('id', '=', botId).executeTakeFirst()
  expect(bot?.username).toBe(`deleted-${botId}`)
})

test('a ban does not wait for a deletion that waits for the house of a bot', async () => {
  const [ivy, jan] = [await resident('ivy'), await user()]
  const den = await house({ owner: jan, members: [await user({ bot_of: ivy })] })
  const [deleting] = await db.transaction().execute(async (trx) => {
    await sql`select from houses where id = ${den.id} for no key update`.execute(trx)
    const deleting = call(ivy, 'DELETE', path, { password })
    await untilWaiting(1)
    await sql`set local lock_timeout = '300ms'`.execute(trx)
    await trx.insertInto('bans').values({ house_id: den.id, user_id: ivy.id, created_by: jan.id }).execute()
    return [deleting]
  })
  expect((await deleting).status).toBe(200)
})
