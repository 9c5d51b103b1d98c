import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openDatabase, poolStats } from '../../src/database/client.ts'
import { Client, listen, logged } from '../support/gateway.ts'
import { otherApp } from '../support/other-app.ts'
import { someTurns, standStill } from '../support/standstill.ts'
import { databaseUrl, house, user } from '../support/world.ts'

const busy = openDatabase(databaseUrl)
const { app } = await otherApp({}, { db: busy })
await app.listen({ host: '127.0.0.1', port: 0 })
afterAll(async () => {
  await app.close()
  await busy.destroy()
})

test('a login waits longer than a request for an overloaded database', async () => {
  const ann = await user()
  await house({ owner: ann })
  const statements = Array.from({ length: 10 }, () => sql`select pg_sleep(2.5)`.execute(busy))
  await expect.poll(() => poolStats(busy).total).toBe(10)
  const client = new Client(app)
  client.send({ op: 2, d: { token: ann.token } })
  await logged(client)
  await Promise.all(statements)
  expect(client.closed).toBeUndefined()
})

test('accepts a login that arrived in time while the process stood still', async () => {
  const { token } = await user()
  // Connections are checked all the time: one check has begun, and not ended, when the process stands still.
  const late = await listen({ loginTimeoutMs: 5_000, sweepEveryMs: 1 })
  const client = new Client(late)
  await client.hello()
  client.send({ op: 2, d: { token } })
  standStill(5_200)
  await someTurns()
  await client.next('INIT_STATE')
  expect(client.closed).toBeUndefined()
})

test('closes a login that fails with 1011 internal_error', async () => {
  const gone = openDatabase(databaseUrl)
  const { app } = await otherApp({}, { db: gone })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = new Client(app)
  await client.hello()
  await gone.destroy()
  client.send({ op: 2, d: { token: (await user()).token } })
  expect(await client.end()).toEqual({ code: 1011, reason: 'internal_error' })
})
