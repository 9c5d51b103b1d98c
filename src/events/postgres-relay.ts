import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { Db } from '../db/client.ts'
import { connectWithPulse } from '../db/pulse.ts'
import { isGreaterId } from '../ids.ts'
import { busChannel, deleteOld, findNewestId, insertBusEvent, listAfter } from './bus-event-queries.ts'
import type { Relay } from './relay.ts'

const cleaningMs = 30_000
const retryMs = 200

/**
 * A relay over a table, with LISTEN/NOTIFY to wake the readers: a notification itself is too small for an event. A
 * connection of its own listens, and is opened again when it breaks; what was sent meanwhile is read from the table.
 */
export async function openPostgresRelay(db: Db, databaseUrl: string): Promise<Relay> {
  const self = randomUUID()
  let receive: (text: string) => void = () => {}
  let closing = false
  let lastId = (await findNewestId(db)) ?? '0'
  let reading = Promise.resolve()
  let willRead = false
  let client = await listen()
  const cleaning = setInterval(() => deleteOld(db).catch(() => {}), cleaningMs)

  async function listen(): Promise<pg.Client> {
    const fresh = await connectWithPulse(databaseUrl, 'hearth events')
    // It may end before it is in use.
    const ended = new Promise<void>((resolve) => fresh.once('end', () => resolve()))
    try {
      fresh.on('notification', readSoon)
      await fresh.query(`listen ${busChannel}`)
      lastId = await beginAfter(db, lastId)
    } catch (error) {
      // The pool may be away for longer than this connection was; nothing else would close it.
      fresh.end().catch(() => {})
      throw error
    }
    void ended.then(reconnect)
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
      await pause(retryMs)
    }
  }

  /** One read after the other, so that none overtakes another. All that come during one share the next. */
  function readSoon(): void {
    if (willRead) return
    willRead = true
    reading = reading.then(read, read)
  }

  async function read(): Promise<void> {
    willRead = false
    let rows = await listAfter(db, lastId).catch(() => undefined)
    // No further notification would come for the rows that are there already, so a failed read is repeated.
    while (!rows && !closing) {
      await pause(retryMs)
      rows = await listAfter(db, lastId).catch(() => undefined)
    }
    for (const row of rows ?? []) {
      lastId = row.id
      if (row.sender !== self) receive(row.payload)
    }
  }

  return {
    send: (payload) => insertBusEvent(db, { sender: self, payload }),
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

/** Sends to every process that listens. */
export function sendOverPostgres(db: Db, payload: string): Promise<void> {
  return insertBusEvent(db, { sender: randomUUID(), payload })
}

/** Where to go on reading: if PostgreSQL has crashed, the table is empty (it is unlogged) and its ids start anew. */
async function beginAfter(db: Db, lastId: string): Promise<string> {
  const newest = await findNewestId(db)
  return newest === undefined || isGreaterId(lastId, newest) ? '0' : lastId
}
