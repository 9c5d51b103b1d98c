import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../../src/database/client.ts'
import { commit } from '../../../src/events/commit.ts'
import { samplesOf, sumOf } from '../../support/metrics.ts'
import { otherApp } from '../../support/other-app.ts'
import { ownWorld } from '../../support/own-world.ts'
import { bus, call, db, node, user } from '../../support/world.ts'

await ownWorld()

const patience = { timeout: 60_000, interval: 50 }

async function metrics(): Promise<string> {
  return (await call(null, 'GET', '/metrics')).text
}

/** The value of a metric of this process, by its node number. */
async function read(name: string, labels: Record<string, string> = {}): Promise<number> {
  const [sample] = samplesOf(await metrics(), name, { node: String(node.number), ...labels })
  expect(sample, name).toBeDefined()
  return sample!.value
}

/** Adds an event to the log without announcing it, as another process does. */
async function happen(house_id: string): Promise<void> {
  await commit(db, async () => ({ answer: null, events: [{ type: 'house_updated', house_id }] }))
}

test('a process is named by its node number, or none while it has none', async () => {
  const nameOf = (text: string) => samplesOf(text, 'hearth_processes').map(({ labels }) => labels.node)
  expect(nameOf(await metrics())).toEqual([String(node.number)])
  const other = await otherApp({}, { bus: { ...bus, node: { number: null } } })
  expect(nameOf((await other.call(null, 'GET', '/metrics')).text)).toEqual(['none'])
})

test('the log of events is shown by its entries, the position, what is not sent yet, and its source', async () => {
  const ann = await user()
  const shown = async () => ({
    entries: sumOf(await metrics(), 'hearth_log_entries'),
    position: await read('hearth_log_position'),
    own: await read('hearth_log_events_total', { source: 'own' }),
    fromTable: await read('hearth_log_events_total', { source: 'read' }),
  })
  const before = await shown()
  await call(ann, 'POST', '/houses', { name: 'Den' })
  await call(ann, 'PATCH', '/users/@me', { bio: 'new' })
  const after = await shown()
  const added = after.position - before.position
  expect(added).toBeGreaterThanOrEqual(2)
  expect(after).toMatchObject({ entries: before.entries + added, own: before.own + added })
  expect(await read('hearth_log_pending')).toBe(0)
  await happen('1')
  await vi.waitUntil(async () => (await shown()).fromTable === before.fromTable + 1, patience)
})

test('the lag grows while the log cannot be read', async () => {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(x'45565453'::int)`.execute(trx)
    await vi.waitUntil(async () => (await read('hearth_log_lag_seconds')) > 2, patience)
  })
  await vi.waitUntil(async () => (await read('hearth_log_lag_seconds')) < 2, patience)
})

/** Delivers the events of these houses only once `deliver` is called for each; at the end of the test all of them. */
function delayed(...houseIds: string[]) {
  const deliveries = new Map(houseIds.map((id) => [id, Promise.withResolvers<void>()]))
  const unsubscribe = bus.subscribe((event) =>
    event.type === 'house_updated' ? deliveries.get(event.house_id)?.promise : undefined,
  )
  onTestFinished(() => {
    unsubscribe()
    for (const { resolve } of deliveries.values()) resolve()
  })
  return { deliver: (id: string) => deliveries.get(id)!.resolve() }
}

test('the lag grows while an event that was read is not delivered, whatever else is read meanwhile', async () => {
  const { deliver } = delayed('700')
  await happen('700')
  await vi.waitUntil(async () => (await read('hearth_log_pending')) === 1, patience)
  await happen('701')
  await vi.waitUntil(async () => (await read('hearth_log_lag_seconds')) > 2, patience)
  expect(await read('hearth_log_pending')).toBe(1)
  deliver('700')
  await vi.waitUntil(async () => (await read('hearth_log_lag_seconds')) < 2, patience)
  expect(await read('hearth_log_pending')).toBe(0)
})

test('the lag falls with each delivery, though something is always read and not delivered', async () => {
  /** When that was whose lag is shown: between these two times. */
  const reached = async () => {
    const fromMs = performance.now()
    const lagMs = (await read('hearth_log_lag_seconds')) * 1000
    return { after: fromMs - lagMs, before: performance.now() - lagMs }
  }
  const { deliver } = delayed('710', '711', '712')
  await happen('710')
  await bus.catchUp()
  await happen('711')
  await bus.catchUp()
  await vi.waitUntil(async () => (await read('hearth_log_lag_seconds')) > 2, patience)
  deliver('710')
  await vi.waitUntil(async () => (await read('hearth_log_pending')) === 1, patience)
  await bus.catchUp()
  const first = await reached()
  await happen('712')
  await bus.catchUp()
  deliver('711')
  await vi.waitUntil(async () => (await reached()).after > first.before, patience)
  expect(await read('hearth_log_pending')).toBe(1)
})

test('the servers of the database are shown by host and port, without the account, and which one is used', async () => {
  expect(sumOf(await metrics(), 'hearth_database_server')).toBe(1)
  expect(sumOf(await metrics(), 'hearth_database_moves_total')).toBe(0)
  for (const hosts of [['127.0.0.1:1'], ['127.0.0.1:1', '[::1]:2']]) {
    const closed = openDatabase(`postgres://ann:hidden-word@${hosts}/hearth`)
    onTestFinished(() => closed.destroy())
    const other = await otherApp({}, { db: closed })
    await vi.waitUntil(async () => {
      const { text } = await other.call(null, 'GET', '/metrics')
      const shown = samplesOf(text, 'hearth_database_server')
      expect(shown.map(({ labels }) => labels)).toEqual(hosts.map((server) => ({ server })))
      expect(text).not.toContain('hidden-word')
      return shown.every(({ value }) => value === 0)
    }, patience)
  }
})

test('a process that uses no Redis shows nothing of it', async () => {
  expect(samplesOf(await metrics(), 'hearth_redis_available')).toEqual([])
  expect(samplesOf(await metrics(), 'hearth_redis_outages_total')).toEqual([])
})
