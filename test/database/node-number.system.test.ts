import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { DatabaseUnavailable } from '../../src/database/availability/unavailable.ts'
import { claimNodeNumber, excludeProcesses } from '../../src/database/node-number.ts'
import { NodeNumbersTaken } from '../../src/errors.ts'
import { assignNodeNumber, nodeNumber } from '../../src/ids.ts'
import { standStill } from '../support/standstill.ts'
import { detour, openTcpProxy } from '../support/tcp-proxy.ts'
import { databaseUrl, db, node as ownNode } from '../support/world.ts'

const way = detour(databaseUrl)
const proxy = await openTcpProxy(way.target)

await ownNode.release()
beforeEach(() => proxy.set('fine'))
afterAll(() => proxy.close())

/** How many processes are connected. */
async function countProcesses(): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and application_name = 'hearth process'`.execute(db)
  return rows.length
}

test('a claim of a node number that the database refuses leaves no connection open', async () => {
  await sql`create schema refusing`.execute(db)
  await sql`create function refusing.pg_try_advisory_lock(int, int) returns boolean language plpgsql
    as 'begin raise exception ''refused''; end'`.execute(db)
  const address = new URL(databaseUrl)
  address.searchParams.set('options', '-c search_path=refusing,pg_catalog')
  await expect(claimNodeNumber(address.href)).rejects.toThrow('refused')
  await expect.poll(countProcesses).toBe(0)
})

test('a claim that the database does not answer fails as any use of an unavailable database', async () => {
  await proxy.set('black hole')
  await expect(claimNodeNumber(way.through(proxy.port))).rejects.toBeInstanceOf(DatabaseUnavailable)
})

test('claims a new node number when the connection stops answering', async () => {
  const node = await claimNodeNumber(way.through(proxy.port))
  try {
    proxy.deafen()
    await vi.waitUntil(() => nodeNumber() === null, { timeout: 30_000 })
    await vi.waitUntil(() => nodeNumber() !== null, { timeout: 30_000 })
  } finally {
    await node.release()
    assignNodeNumber(0)
  }
})

test('claims a new node number after a long outage, and releases it at the end', async () => {
  const node = await claimNodeNumber(way.through(proxy.port))
  const connects = vi.spyOn(pg.Client.prototype, 'connect')
  try {
    await proxy.set('refuse')
    await expect.poll(() => nodeNumber()).toBe(null)
    connects.mockClear()
    await vi.waitUntil(() => connects.mock.calls.length > 2, { timeout: 30_000 })
    await proxy.set('fine')
    await vi.waitUntil(() => nodeNumber() !== null, { timeout: 30_000 })
    await expect.poll(countProcesses).toBe(1)
  } finally {
    connects.mockRestore()
    await node.release()
    assignNodeNumber(0)
  }
  await expect.poll(countProcesses).toBe(0)
})

test('keeps its node number during a stall of the process', async () => {
  const queries = vi.spyOn(pg.Client.prototype, 'query')
  onTestFinished(() => queries.mockRestore())
  const numbers: (number | null)[] = []
  const node = await claimNodeNumber(databaseUrl, { assign: (number) => numbers.push(number) })
  onTestFinished(node.release)
  for (let round = 0; round < 2; round += 1) {
    queries.mockClear()
    await vi.waitUntil(() => queries.mock.calls.some(([text]) => (text as unknown) === 'select'), 30_000)
    standStill(2_100)
  }
  expect(numbers).toEqual([node.number])
})

test('does not claim a number again after its release', async () => {
  const node = await claimNodeNumber(databaseUrl)
  onTestFinished(() => assignNodeNumber(0))
  await node.release()
  await expect.poll(countProcesses).toBe(0)
  expect(nodeNumber()).not.toBe(null)
})

test('a command excludes all processes until it is done, and none where one runs', async () => {
  const claim = () => claimNodeNumber(databaseUrl, { assign: () => {} })
  const other = await claim()
  expect(await db.transaction().execute(excludeProcesses)).toBe(false)
  await other.release()
  await expect.poll(() => db.transaction().execute(excludeProcesses)).toBe(true)
  await db.transaction().execute(async (trx) => {
    expect(await excludeProcesses(trx)).toBe(true)
    await expect(claim()).rejects.toBeInstanceOf(NodeNumbersTaken)
  })
  await (await claim()).release()
})
