import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from '../db/client.ts'
import type { Relay } from './relay.ts'

const channel = 'hearth_events'
/** Advisory lock that makes ids of `bus_events` rise in commit order ('EVTS'). */
const orderLock = 0x45565453
const keptSeconds = 60
const cleaningMs = 30_000
const reconnectMs = 200

/**
 * A relay over a table, with LISTEN/NOTIFY as the wake-up: a notification is too small for an event. Its own
 * connection listens and comes back when it breaks; nothing sent meanwhile is missed.
 */
export async function openPostgresRelay(db: Db, databaseUrl: string): Promise<Relay> {
  const self = randomUUID()
  let receive: (text: string) => void = () => {}
  let closing = false
  let lastId = await newestId(db)
  let reading = Promise.resolve()
  let client = await listen()
  const cleaning = setInterval(() => forgetOld(db).catch(() => {}), cleaningMs)

  async function listen(): Promise<pg.Client> {
    const fresh = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'hearth events',
      keepAlive: true,
    })
    fresh.on('error', () => {})
    fresh.on('notification', readSoon)
    await fresh.connect()
    await fresh.query(`listen ${channel}`)
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
    const rows = await listAfter(db, lastId).catch(() => [])
    for (const row of rows) {
      lastId = row.id
      if (row.sender !== self) receive(row.payload)
    }
  }

  return {
    async send(text) {
      await insert(db, self, text)
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

async function newestId(db: Db): Promise<string> {
  const { rows } = await sql<{ id: string }>`select coalesce(max(id), 0) as id from bus_events`.execute(db)
  return rows[0]!.id
}

function listAfter(db: Db, id: string) {
  return db
    .selectFrom('bus_events')
    .select(['id', 'sender', 'payload'])
    .where('id', '>', id)
    .orderBy('id')
    .execute()
}

async function insert(db: Db, sender: string, payload: string): Promise<void> {
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
