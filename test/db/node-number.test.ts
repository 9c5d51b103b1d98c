import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { DatabaseAway } from '../../src/db/away.ts'
import { claimNodeNumber } from '../../src/db/node-number.ts'
import { assignNodeNumber, nodeNumber } from '../../src/ids.ts'
import { detour, openTcpProxy } from '../support/tcp-proxy.ts'
import { databaseUrl, db } from '../support/world.ts'

const way = detour(databaseUrl)
const proxy = await openTcpProxy(way.target)

beforeEach(() => proxy.set('fine'))
afterAll(() => proxy.close())

/** The connections that hold a node number, or are to. */
async function held(): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and application_name = 'hearth node number'`.execute(db)
  return rows.length
}

test('a claim of a node number that the database refuses leaves no connection open', async () => {
  await sql`create schema refusing`.execute(db)
  await sql`create function refusing.pg_try_advisory_lock(int, int) returns boolean language plpgsql
    as 'begin raise exception ''refused''; end'`.execute(db)
  const address = new URL(databaseUrl)
  address.searchParams.set('options', '-c search_path=refusing,pg_catalog')
  await expect(claimNodeNumber(address.href)).rejects.toThrow('refused')
  await expect.poll(held).toBe(0)
})

test('a claim that the database does not answer fails as any use of a database that is away', async () => {
  await proxy.set('black hole')
  await expect(claimNodeNumber(way.through(proxy.port))).rejects.toBeInstanceOf(DatabaseAway)
})

test('a node number whose connection has gone silent is given up, and one is claimed anew', async () => {
  const releaseNumber = await claimNodeNumber(way.through(proxy.port))
  try {
    proxy.deafen()
    await vi.waitUntil(() => nodeNumber() === null, { timeout: 6_000 })
    await vi.waitUntil(() => nodeNumber() !== null, { timeout: 3_000 })
  } finally {
    await releaseNumber()
    assignNodeNumber(0)
  }
})

test('a node number is claimed anew also when the database was away for longer, and given back at the end', async () => {
  const releaseNumber = await claimNodeNumber(way.through(proxy.port))
  const connects = vi.spyOn(pg.Client.prototype, 'connect')
  try {
    await proxy.set('refuse')
    await expect.poll(() => nodeNumber()).toBe(null)
    connects.mockClear()
    await vi.waitUntil(() => connects.mock.calls.length > 2, { timeout: 5_000 })
    await proxy.set('fine')
    await vi.waitUntil(() => nodeNumber() !== null, { timeout: 5_000 })
    await expect.poll(held).toBe(1)
  } finally {
    connects.mockRestore()
    await releaseNumber()
    assignNodeNumber(0)
  }
  await expect.poll(held).toBe(0)
})

test('a node number that is given back is not claimed anew', async () => {
  const releaseNumber = await claimNodeNumber(databaseUrl)
  onTestFinished(() => assignNodeNumber(0))
  await releaseNumber()
  await expect.poll(held).toBe(0)
  expect(nodeNumber()).not.toBe(null)
})
