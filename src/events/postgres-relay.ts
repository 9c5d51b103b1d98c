import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../database/client.ts'
import type { Node } from '../database/node-number.ts'
import type { Relay } from './relay.ts'

const channel = 'hearth'
const senderLength = 36

/**
 * A relay over the notifications of PostgreSQL, which take less than 8,000 bytes each. They come over the connection of
 * the process; what is sent while it is broken is lost.
 */
export async function openPostgresRelay(db: Db, node: Node): Promise<Relay> {
  const self = randomUUID()
  let receive: (text: string) => void = () => {}
  await node.listen(channel, (text) => {
    if (!text.startsWith(self)) receive(text.slice(senderLength))
  })
  return {
    sendsLog: false,
    async send(text) {
      await sql`select pg_notify(${channel}, ${self + text})`.execute(db)
    },
    listen(listener) {
      receive = listener
    },
    async close() {
      receive = () => {}
    },
  }
}
