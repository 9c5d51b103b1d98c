import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from '../db/client.ts'
import { keepPulse } from '../db/pulse.ts'
import type { Relay } from './relay.ts'

const channel = 'hearth_events'
/** Advisory lock that makes ids of `bus_events` rise in commit order ('EVTS'). */
const orderLock = 0x45565453
const keptSeconds = 60
const cleaningMs = 30_000
const reconnectMs = 200
const connectTimeoutMs = 1_000

/**
 * A relay over a table, with LISTEN/NOTIFY as the wake-up: a notification is too small for an event. Its own
 * connection listens and comes back when it breaks; nothing sent meanwhile is missed.
 */
export async function openPostgresRelay(db: Db, databaseUrl: string): Promise<Relay> {
  const self = randomUUID()
  let receive: (text: string) => void = () => {}
  let closing = false
  let lastId = (await findNewestId(db)) ?? '0'
  let reading = Promise.resolve()
  let client = await listen()
  const cleaning = setInterval(() => forgetOld(db).catch(() => {}), cleaningMs)

  async function listen(): Promise<pg.Client> {
    const fresh = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'hearth events',
      connectionTimeoutMillis: connectTimeoutMs,
    })
    fresh.on('error', () => {})
    fresh.on('notification', readSoon)
    await fresh.connect()
    keepPulse(fresh)
    await fresh.query(`listen ${channel}`)
    lastId = await beginAfter(db, lastId)
    fresh.on('end', reconnect)
    readSoon()
    return fresh
  }

  async function reconnect(): Promise<void> {
    while (!closing) {
      const fresh = await listen().catch(() => undefined)
      if (fresh) {
        client = fresh
        return
      }
      await delay(reconnectMs)
    }
  }

  /** One read after the other, so that nothing overtakes. */
  function readSoon(): void {
    reading = reading.then(read, read)
  }

  async function read(): Promise<void> {
    let rows = await listAfter(db, lastId).catch(() => undefined)
    // Nobody else would wake us for what is there already.
    while (!rows && !closing) {
      await delay(reconnectMs)
      rows = await listAfter(db, lastId).catch(() => undefined)
    }
    for (const row of rows ?? []) {
      lastId = row.id
      if (row.sender !== self) receive(row.payload)
    }
  }

  return {
    async send(text) {
      await sendOverPostgres(db, text, self)
    },
    listen(listener) {
      receive = listener
    },
    async close() {
      closing = true
      clearInterval(cleaning)
      await client.end()
      await reading
    },
  }
}

/** Undefined when there is nothing. */
async function findNewestId(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('bus_events').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.id
}

/** Where to read on: a crash of PostgreSQL empties the table, and its ids begin anew. */
async function beginAfter(db: Db, lastId: string): Promise<string> {
  const newest = await findNewestId(db)
  return newest === undefined || BigInt(newest) < BigInt(lastId) ? '0' : lastId
}

function listAfter(db: Db, id: string) {
  return db
    .selectFrom('bus_events')
    .select(['id', 'sender', 'payload'])
    .where('id', '>', id)
    .orderBy('id')
    .execute()
}

/** Sends to every process that listens, but the sender. */
export async function sendOverPostgres(
  db: Db,
  payload: string,
  sender: string = randomUUID(),
): Promise<void> {
  await sql`
    with turn as materialized (select pg_advisory_xact_lock(${orderLock})),
      added as (insert into bus_events (sender, payload) select ${sender}, ${payload} from turn)
    select pg_notify(${channel}, '') from turn`.execute(db)
}

async function forgetOld(db: Db): Promise<void> {
  await sql`delete from bus_events where created_at < now() - ${keptSeconds} * interval '1 second'`.execute(
    db,
  )
}
