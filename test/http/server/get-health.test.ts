import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/database/client.ts'
import { otherApp } from '../../support/other-app.ts'
import { call, db, failure } from '../../support/world.ts'

const away = openDatabase('postgres://127.0.0.1:1/none')
const withoutDatabase = await otherApp({}, { db: away })
afterAll(() => away.destroy())

test.each(['/health', '/ready'])('GET %s answers ok, without a token and with a faulty one', async (path) => {
  for (const url of [path, `/v1${path}`]) {
    for (const headers of [{}, { authorization: 'f'.repeat(128) }]) {
      const answer = await call(null, 'GET', url, undefined, { headers })
      expect([answer.status, answer.body]).toEqual([200, { success: true, data: { status: 'ok' } }])
    }
  }
})

test('with an unavailable database the process is healthy, but not ready', async () => {
  expect((await withoutDatabase.call(null, 'GET', '/health')).status).toBe(200)
  const answer = await withoutDatabase.call(null, 'GET', '/ready')
  expect(answer.status).toBe(503)
  expect(answer.body).toEqual(failure('unavailable', 'The service is temporarily unavailable'))
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
})

test('while a migration is pending the process is healthy, but not ready', async () => {
  const { rows } = await sql<{ name: string; timestamp: string }>`
    delete from kysely_migration where name = (select max(name) from kysely_migration) returning name, timestamp`.execute(
    db,
  )
  const [{ name, timestamp }] = rows as [{ name: string; timestamp: string }]
  try {
    expect((await call(null, 'GET', '/health')).status).toBe(200)
    expect((await call(null, 'GET', '/ready')).status).toBe(503)
  } finally {
    await sql`insert into kysely_migration (name, timestamp) values (${name}, ${timestamp})`.execute(db)
  }
  expect((await call(null, 'GET', '/ready')).status).toBe(200)
})
