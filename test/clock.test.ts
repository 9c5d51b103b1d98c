import './support/fresh-modules.ts'
import { once } from 'node:events'
import { sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { writeServerAudit } from '../src/administration/audit-log/operations.ts'
import { resumeIdsAfterNewest } from '../src/database/node-number.ts'
import { newId } from '../src/ids.ts'
import { saveFile } from '../src/storage/discard.ts'
import { listen, logIn, resume } from './support/gateway.ts'
import { otherApp } from './support/other-app.ts'
import { call, config, db, house, role, store, user } from './support/world.ts'

const hourMs = 3_600_000

/** Steps the clock of the process, not that of PostgreSQL nor its timers. */
function step(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
}
afterEach(() => {
  vi.useRealTimers()
})

test.each([hourMs, -hourMs])('the rate limits count on when the clock steps by %i ms', async (ms) => {
  const limits = { burst: 2, refillMs: 24 * hourMs }
  const rateLimits = { ...config.rateLimits, requests: limits }
  const other = await otherApp({ rateLimit: true, rateLimits })
  const [ann, bob] = [await user(), await user()]
  for (let n = 0; n < 2; n += 1) await other.call(ann, 'GET', '/users/@me')
  expect((await other.call(bob, 'GET', '/users/@me')).status).toBe(200)
  step(ms)
  const refused = await other.call(ann, 'GET', '/users/@me')
  expect(refused.status).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(86_400)
  const hoursAhead = (refused.body.expires_at * 1000 - Date.now()) / hourMs
  expect(hoursAhead).toBeGreaterThan(23.5)
  expect(hoursAhead).toBeLessThan(24.5)
  expect((await other.call(bob, 'GET', '/users/@me')).status).toBe(200)
})

test('the gateway keeps connections and sessions when the clock steps forward', async () => {
  const ann = await user()
  const gateway = await listen({ sweepEveryMs: 10, pingAfterMs: 1, pingEveryMs: 1 })
  const [stays, drops] = [await logIn(gateway, ann), await logIn(gateway, ann)]
  const { session_id } = drops.events.find(({ e }) => e === 'INIT_STATE')!.d
  const { seq } = drops.events.at(-1)!
  await drops.cut()
  step(24 * hourMs)
  // A sweep that begins after the step has looked at all: it pings, and the first ping may be of an earlier one.
  for (const _ of [1, 2]) await once(stays.socket, 'ping')
  expect(stays.closed).toBeUndefined()
  expect((await resume(gateway, ann, session_id, seq!).next('RESUMED')).d.session_id).toBe(session_id)
})

test.each([hourMs, -hourMs])('a message explodes in its time with the clock off by %i ms', async (ms) => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  step(ms)
  const body = { content: 'soon gone', exploding: true, exploding_age: 1_800 }
  const { data } = (await call(ann, 'POST', `/rooms/${room_id}/messages`, body)).body
  const { seconds } = await db
    .selectFrom('messages')
    .select(sql<number>`extract(epoch from expires_at - now())::float`.as('seconds'))
    .where('room_id', '=', room_id)
    .where('id', '=', data.id)
    .executeTakeFirstOrThrow()
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(1_800)
})

test('a nonce stands for its message though the clock says that a day has passed', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const body = { content: 'once', nonce: 'the same' }
  const first = await call(ann, 'POST', `/rooms/${room_id}/messages`, body)
  step(25 * hourMs)
  const second = await call(ann, 'POST', `/rooms/${room_id}/messages`, body)
  expect(second.body.data.id).toBe(first.body.data.id)
})

test('a file on its way is not due at once, though the clock is hours behind', async () => {
  step(-10 * hourMs)
  await saveFile(db, store, 'attachments/1/2', Buffer.from('x'))
  const row = await db
    .selectFrom('discarded_files')
    .select(sql<boolean>`discarded_at > now() + interval '50 minutes'`.as('has_time'))
    .where('name', '=', 'attachments/1/2')
    .executeTakeFirstOrThrow()
  expect(row.has_time).toBe(true)
})

test('a process that starts with its clock behind makes greater ids than there are', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const ahead = String(BigInt(newId()) + (BigInt(hourMs) << 22n))
  await db.updateTable('room_heads').set({ last_message_id: ahead }).where('room_id', '=', room_id).execute()
  await resumeIdsAfterNewest(db)
  expect(BigInt(newId())).toBeGreaterThan(BigInt(ahead))
})

test.each([
  ['users', { username: 'ahead', email: null }],
  ['sessions', { token_hash: '\\x00' }],
  ['houses', {}],
  ['roles', {}],
  ['entities', {}],
  ['rooms', {}],
  ['audit_log', {}],
  ['server_audit_log', {}],
])('a process that starts with its clock behind the ids of %s makes greater ones', async (table, unique) => {
  const ann = await user()
  const den = await house({ owner: ann })
  await role(den)
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'renamed' })
  await writeServerAudit(db, null, 'house_deleted', null)
  const ahead = String(BigInt(newId()) + (BigInt(hourMs) << 22n))
  const fields = JSON.stringify({ ...unique, id: ahead })
  // Undone afterwards, as this row would answer for those of the other tables.
  const undone = db.transaction().execute(async (trx) => {
    await sql`insert into ${sql.table(table)}
      select (jsonb_populate_record(one, ${fields}::jsonb)).* from ${sql.table(table)} one limit 1`.execute(
      trx,
    )
    await resumeIdsAfterNewest(trx)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(BigInt(newId())).toBeGreaterThan(BigInt(ahead))
})
