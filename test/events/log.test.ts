import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { Db } from '../../src/database/client.ts'
import { commit } from '../../src/events/commit.ts'
import type { HearthEvent } from '../../src/events/events.ts'
import { listEntries, readLog } from '../../src/events/log-queries.ts'
import { startTrimming } from '../../src/events/log-trimming.ts'
import { newBus } from '../support/bus.ts'
import { emptyEventLog } from '../support/event-log.ts'
import { listen, logIn } from '../support/gateway.ts'
import { ownWorld } from '../support/own-world.ts'
import { failing } from '../support/statements.ts'
import { bus, call, db, house, user } from '../support/world.ts'

await ownWorld()

function updated(house_id: string): HearthEvent {
  return { type: 'house_updated', house_id }
}

/** A bus like that of another process, and the houses that it received events of. */
async function reader() {
  const { bus, close } = await newBus()
  onTestFinished(close)
  const received: string[] = []
  const types = new Set<HearthEvent['type']>()
  bus.subscribe((event) => {
    types.add(event.type)
    if (event.type === 'house_updated') received.push(event.house_id)
  })
  return { bus, received, types }
}

/** Adds an event to the log without announcing it. */
async function happen(id: string): Promise<void> {
  await commit(db, async () => ({ answer: null, events: [updated(id)] }))
}

/** Adds so many entries to the log without announcing them. */
async function addTo(trx: Db, count: number): Promise<void> {
  await sql`
    insert into events (scope, count, events)
    select 1, 1, '[{"type":"house_updated","house_id":"1"}]' from generate_series(1, ${count})`.execute(trx)
}

test('reads what others commit in commit order, and nothing from before its start', async () => {
  await happen('1')
  const { received } = await reader()
  const late = await db.startTransaction().execute()
  await sql`select 1`.execute(late)
  await happen('2')
  await commit(db, async () => ({ answer: null, events: [updated('3'), updated('4')] }))
  await late.rollback().execute()
  await expect.poll(() => received).toEqual(['2', '3', '4'])
})

test('delivers own commits once, after earlier commits of others', async () => {
  const { bus, received } = await reader()
  await happen('1')
  const { events } = await commit(db, async () => ({ answer: null, events: [updated('2')] }))
  await bus.deliver(events)
  expect(received).toEqual(['1', '2'])
  const [third, fourth] = [
    await commit(db, async () => ({ answer: null, events: [updated('3')] })),
    await commit(db, async () => ({ answer: null, events: [updated('4')] })),
  ]
  await Promise.all([bus.deliver(fourth.events), bus.deliver(third.events)])
  expect(received).toEqual(['1', '2', '3', '4'])
  await bus.deliver(third.events)
  await happen('5')
  await bus.catchUp()
  expect(received).toEqual(['1', '2', '3', '4', '5'])
})

test('delivers concurrent changes once, in the order of their positions', async () => {
  const one = await reader()
  const other = await reader()
  const changes = Array.from({ length: 60 }, async (_, n) => {
    const { events } = await commit(db, async () => ({ answer: null, events: [updated(`${n}`)] }))
    await (n % 2 ? one : other).bus.deliver(events)
  })
  await Promise.all(changes)
  const { rows } = await sql<{ id: string }>`
    select events -> 0 ->> 'house_id' as id from events
    where events -> 0 ->> 'type' = 'house_updated' order by position desc limit 60`.execute(db)
  const inOrder = rows.map(({ id }) => id).reverse()
  await expect.poll(() => one.received).toEqual(inOrder)
  await expect.poll(() => other.received).toEqual(inOrder)
})

test('a transaction that fails adds no event', async () => {
  const { bus, received } = await reader()
  const failing = commit(db, async (trx) => {
    await sql`insert into houses (id) values (null)`.execute(trx)
    return { answer: null, events: [updated('never')] }
  })
  await expect(failing).rejects.toThrow('null value')
  await happen('1')
  await bus.catchUp()
  expect(received).toEqual(['1'])
})

test('an emptied log ends the sessions, and later events are delivered', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const app = await listen()
  const client = await logIn(app, ben)
  const { received, types } = await reader()
  await emptyEventLog()
  expect(await client.end()).toEqual({ code: 1011, reason: 'internal_error' })
  await expect.poll(() => types.has('events_lost')).toBe(true)
  const fresh = await logIn(app, ben)
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'after it' })
  await happen('1')
  await expect.poll(() => received).toEqual(['1'])
  const again = await logIn(app, ann)
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Named' })
  expect((await again.next('HOUSE_UPDATE')).d.name).toBe('Named')
  expect(fresh.closed).toBeUndefined()
})

test('ends the sessions later if the loss of the log cannot be handled at once', async () => {
  const ann = await user()
  const app = await listen()
  const client = await logIn(app, ann)
  await failing(/from "presences"/, async () => {
    await emptyEventLog()
    await expect(bus.catchUp()).rejects.toThrow('terminated')
    expect(client.closed).toBeUndefined()
  })
  expect(await client.end()).toEqual({ code: 1011, reason: 'internal_error' })
})

test('ends the sessions if the log was trimmed before it was read', async () => {
  const { types } = await reader()
  const rows = await db.transaction().execute(async (trx) => {
    await addTo(trx, 1)
    await readLog(trx, 0, 0)
    const gone = sql`with gone as (delete from events returning position)
      update event_log set trimmed_to = (select max(position) from gone)`
    await gone.execute(trx)
    return sql`select from events`.execute(trx)
  })
  expect(rows.rows).toHaveLength(0)
  await expect.poll(() => types.has('events_lost')).toBe(true)
})

test('trims a new log by no position of the one before', async () => {
  for (let n = 0; n < 20; n += 1) await happen('800')
  const { bus, received } = await reader()
  let losses = 0
  bus.subscribe(({ type }) => {
    if (type === 'events_lost') losses += 1
  })
  const log = {
    get epoch() {
      return bus.epoch
    },
    get position() {
      return bus.progress.position
    },
  }
  onTestFinished(startTrimming(db, log, { maxEvents: 1_000, keptForMs: 1_500, trimEveryMs: 20 }))
  await happen('900')
  await expect.poll(() => received.at(-1)).toBe('900')
  await emptyEventLog()
  await expect.poll(() => losses).toBe(1)
  for (const id of ['1', '2', '3', '4']) {
    await happen(id)
    // Assigns a position some time before the bus reads it.
    await readLog(db, 0, 0)
    await expect.poll(() => received.at(-1)).toBe(id)
  }
  expect(losses).toBe(1)
})

test('a commit does not wait for the delivery of other entries', async () => {
  const { bus, received } = await reader()
  bus.subscribe((event) => {
    if (event.type === 'house_updated' && event.house_id === '700') return new Promise(() => {})
  })
  await happen('700')
  await bus.catchUp()
  expect(received).toEqual(['700'])
  const { events } = await commit(db, async () => ({ answer: null, events: [updated('1')] }))
  await bus.deliver(events)
  expect(received).toEqual(['700', '1'])
})

test('reading scans no table however long the log is', async () => {
  await happen('1')
  await sql`analyze events`.execute(db)
  const scans = await db.transaction().execute(async (trx) => {
    // The connection may have scanned the table before.
    const count = async () => {
      const counted = sql<{ scans: string }>`select pg_stat_get_xact_numscans('events'::regclass) as scans`
      return Number((await counted.execute(trx)).rows[0]!.scans)
    }
    const before = await count()
    await addTo(trx, 1)
    await readLog(trx, 0, 1_000)
    await listEntries(trx, 0, 1_000)
    return (await count()) - before
  })
  expect(scans).toBe(0)
})

test('reading skips numbered entries that an old snapshot keeps', async () => {
  const holding = await db.startTransaction().setIsolationLevel('repeatable read').execute()
  await sql`select from events`.execute(holding)
  const add = async () => {
    await addTo(db, 200)
    await readLog(db, 0, 0)
  }
  for (let n = 0; n < 10; n += 1) await add()
  const countPassed = () =>
    db.transaction().execute(async (trx) => {
      const count = sql<{
        entries: string
      }>`select pg_stat_get_xact_tuples_returned('events_without_position'::regclass) as entries`
      const before = Number((await count.execute(trx)).rows[0]!.entries)
      await readLog(trx, 0, 0)
      return Number((await count.execute(trx)).rows[0]!.entries) - before
    })
  // Numbering begins further back while transactions of other databases run.
  await expect
    .poll(async () => {
      await add()
      return countPassed()
    })
    .toBeLessThan(1_000)
  await holding.rollback().execute()
})
