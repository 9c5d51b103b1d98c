import { expect, test, vi } from 'vitest'
import { touchSessions } from '../../../src/auth/queries.ts'
import { openDatabaseWithoutTimeouts } from '../../../src/database/client.ts'
import { otherApp } from '../../support/other-app.ts'
import { call, databaseUrl, db, type Person, user } from '../../support/world.ts'

async function lastSeen(person: Person): Promise<number> {
  const row = await db
    .selectFrom('sessions')
    .select('last_seen_at')
    .where('id', '=', person.session_id)
    .executeTakeFirstOrThrow()
  return row.last_seen_at.getTime()
}

test('use of a session updates last_seen_at within seconds, repeatedly', async () => {
  const idle = await user()
  const longAgo = new Date(Date.now() - 600_000)
  for (let time = 0; time < 2; time += 1) {
    await db
      .updateTable('sessions')
      .set({ last_seen_at: longAgo })
      .where('id', '=', idle.session_id)
      .execute()
    await call(idle, 'GET', '/users/@me')
    await vi.waitUntil(async () => (await lastSeen(idle)) > longAgo.getTime(), { timeout: 60_000 })
  }
})

test('use of one session does not update another one', async () => {
  const [gone, here] = [await user(), await user()]
  const longAgo = new Date(Date.now() - 600_000)
  for (const person of [gone, here]) {
    await db
      .updateTable('sessions')
      .set({ last_seen_at: longAgo })
      .where('id', 'in', [gone.session_id, here.session_id])
      .execute()
    const { app, call } = await otherApp({})
    // This route needs no token.
    await call(person, 'GET', `/users/${gone.id}`)
    // A stop writes pending updates.
    await app.close()
    expect(await lastSeen(person)).toBeGreaterThan(longAgo.getTime())
  }
  expect(await lastSeen(gone)).toBe(longAgo.getTime())
})

test('an unavailable database fails neither the request nor the stop', async () => {
  const idle = await user()
  const longAgo = new Date(Date.now() - 600_000)
  await db.updateTable('sessions').set({ last_seen_at: longAgo }).where('id', '=', idle.session_id).execute()
  const ending = openDatabaseWithoutTimeouts(databaseUrl)
  const { app, call } = await otherApp({}, { db: ending })
  expect((await call(idle, 'GET', '/users/@me')).status).toBe(200)
  await ending.destroy()
  await app.close()
  expect(await lastSeen(idle)).toBe(longAgo.getTime())
})

test('last_seen_at is updated only if it is five minutes old', async () => {
  const [idle, busy] = [await user(), await user()]
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  await db
    .updateTable('sessions')
    .set({ last_seen_at: minutesAgo(6) })
    .where('id', '=', idle.session_id)
    .execute()
  const recently = minutesAgo(4)
  await db.updateTable('sessions').set({ last_seen_at: recently }).where('id', '=', busy.session_id).execute()
  const before = minutesAgo(1)
  const { app, call } = await otherApp({})
  expect((await call(idle, 'GET', '/users/@me')).status).toBe(200)
  expect((await call(busy, 'GET', '/users/@me')).status).toBe(200)
  // A stop writes pending updates.
  await app.close()
  expect(await lastSeen(idle)).toBeGreaterThan(before.getTime())
  expect(await lastSeen(busy)).toBe(recently.getTime())
})

test('a session that is being ended and updates of other sessions do not wait for each other', async () => {
  const [leaving, staying] = [await user(), await user()]
  const ids = [leaving.session_id, staying.session_id]
  const longAgo = new Date(Date.now() - 600_000)
  await db.updateTable('sessions').set({ last_seen_at: longAgo }).where('id', 'in', ids).execute()
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('sessions').where('id', '=', leaving.session_id).execute()
    await touchSessions(db, ids)
    expect(await lastSeen(staying)).toBeGreaterThan(longAgo.getTime())
  })
})
