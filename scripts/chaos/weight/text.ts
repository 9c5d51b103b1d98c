import { sql } from 'kysely'
import type { Db } from '../../../src/database/client.ts'
import { addBots, type Person } from '../support/people.ts'
import type { WeightAttack } from './attack.ts'
import { ordersOf } from './attack.ts'
import { addHouse, addPeople } from './scenes.ts'

const mib = 2 ** 20
/** How much the database may grow until it is full, and the reserve that stays free. */
const [growthMib, reserveMib] = [24, 16]
const botsOfEach = 3
const limitMib = 1
const rowBytes = 256
/** The most bytes of the entries of one message in the search index, with the unused parts of pages. */
const maxIndexBytes = 8_192
const maxAuditBytes = 2_200
/** Text that is counted a moment later may exceed the limit by this factor. */
const room = 1.1

/** 2,000 different words in 4,000 characters. */
const words = Array.from({ length: 1_990 }, (_none, n) => String.fromCodePoint(0x4e00 + n)).join(' ')
const longText = JSON.stringify({ content: `{n} ${words}` })

/** Attacks that fill the disk of the database with text. */
export const text: WeightAttack[] = [
  {
    name: 'text until the database is full',
    limitsServer: true,
    async prepare({ db, people }) {
      const { path, orders, reader } = await addWriters(db, people)
      const maxMib = Math.ceil((await databaseBytes(db)) / mib) + growthMib + reserveMib
      return {
        orders,
        environment: { DATABASE_MAX_SIZE: `${maxMib}MiB`, STORAGE_RESERVE: `${reserveMib}MiB` },
        probes: [{ name: 'read', method: 'GET', path, token: reader.token, restMs: 100 }],
        async judge({ during, toll }) {
          const bytes = await databaseBytes(db)
          const { refused, statuses } = during.seen.get('read')!
          return [
            ...(bytes > maxMib * mib
              ? [`the database has ${Math.round(bytes / mib)} MiB, of ${maxMib}`]
              : []),
            ...(refused > 0 ? [`reading was refused: ${statuses}`] : []),
            ...(toll.answers['503'] === undefined ? ['no message was refused for space'] : []),
          ]
        },
      }
    },
  },
  {
    name: 'text of ten people with three bots each',
    async prepare({ db, people }) {
      const { orders } = await addWriters(db, people)
      return {
        orders,
        environment: { RATE_LIMIT_TEXT: `${limitMib}MiB/day` },
        async judge() {
          const { rows } = await sql<{ bytes: number }>`
            select sum(octet_length(content) + ${rowBytes})::float8 as bytes
            from messages join users on users.id = author_id
            where coalesce(users.owner_id, users.id) = any(${people.map(({ id }) => id)}::bigint[])
            group by coalesce(users.owner_id, users.id) order by 1 desc limit 1`.execute(db)
          const bytes = rows[0]?.bytes ?? 0
          return bytes > limitMib * mib * room
            ? [`one of them has written ${Math.round(bytes / 1024)} KiB`]
            : []
        },
      }
    },
  },
  {
    name: 'messages of 2,000 different words',
    async prepare({ db, people }) {
      const { orders } = await addWriters(db, people)
      return {
        orders,
        async judge() {
          await sql`select gin_clean_pending_list('messages_search_by_time')`.execute(db)
          const { rows } = await sql<{ bytes: number }>`
            select pg_relation_size('messages_search_by_time') / count(*)::float8 as bytes
            from messages where length(content) > 1000`.execute(db)
          const { bytes } = rows[0]!
          return bytes > maxIndexBytes ? [`a message has ${Math.round(bytes)} bytes of the search index`] : []
        },
      }
    },
  },
  {
    name: 'a category of 500 rooms in another order',
    async prepare({ db, people }) {
      const asked = await Promise.all(people.map((owner) => addCategory(db, owner)))
      return {
        orders: asked.flatMap((each, n) => ordersOf([people[n]!], 1, each)),
        async judge() {
          const { rows } = await sql<{ bytes: number }>`
            select octet_length(changes::text) as bytes from audit_log order by 1 desc limit 1`.execute(db)
          if (rows.length === 0) return ['no order was changed']
          return rows[0]!.bytes > maxAuditBytes
            ? [`an entry of the audit log has ${rows[0]!.bytes} bytes`]
            : []
        },
      }
    },
  },
]

async function databaseBytes(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database())::float8 as bytes`.execute(db)
  return rows[0]!.bytes
}

/** Makes houses into which their owners, and the bots of these, write long messages; somebody reads the first house. */
async function addWriters(db: Db, people: readonly Person[]) {
  const [reader] = await addPeople(db, 1)
  const written = await Promise.all(
    people.map(async (owner) => {
      const bots = await addBots(db, owner, botsOfEach)
      const { rooms } = await addHouse(db, [owner, ...bots, reader!], 5)
      const paths = rooms.map((id) => `/rooms/${id}/messages`)
      const asked = paths.map((path) => ({ method: 'POST', path, body: { text: longText } }))
      return { paths, orders: ordersOf([owner, ...bots], 2, asked) }
    }),
  )
  const path = `${written[0]!.paths[0]!}?limit=10`
  return { path, orders: written.flatMap(({ orders }) => orders), reader: reader! }
}

/** A house with 500 rooms in a category, and the requests that put them into one order and the other. */
async function addCategory(db: Db, owner: Person) {
  const { id, rooms } = await addHouse(db, [owner], 500)
  const entity = rooms[0]!
  await db.insertInto('entities').values({ id: entity, house_id: id, name: 'All', position: 0 }).execute()
  return [rooms, rooms.toReversed()].map((order) => {
    const resource_pointers = order.map((resource_id) => ({ resource_type: 'room', resource_id }))
    const body = { text: JSON.stringify({ resource_pointers }) }
    return { method: 'PATCH', path: `/houses/${id}/entities/${entity}`, body }
  })
}
