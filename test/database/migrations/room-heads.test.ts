import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { migrateToLatest, migrator } from '../../../src/database/migrations/migrate.ts'
import { dropUpgradeTriggers } from '../../../src/database/migrations/upgrade-triggers.ts'
import { epochMs, newId } from '../../../src/ids.ts'
import { lastMessageId, roomRow } from '../../support/rooms.ts'
import { call, db, house, message, node, type Person, user } from '../../support/world.ts'

const before = '0037_events_sequence'

let ann: Person
let roomId: string
let written: string

beforeAll(async () => {
  ann = await user()
  roomId = (await house({ owner: ann })).room_id
  written = await message(roomId, ann)
  await migrator(db).migrateTo(before)
  await migrateToLatest(db)
})

/** Sends as a process of the version before: what its statement did with rooms and messages. Whether it was written. */
async function sendBefore(id: string): Promise<boolean> {
  const { rows } = await sql`
    with locked as materialized (
      select id, house_id, last_message_id from rooms where id = ${roomId} order by id for no key update
    ), written as (
      insert into messages (room_id, house_id, id, author_id, device_id, content)
      select locked.id, house_id, ${id}, ${ann.id}, ${ann.session_id}, 'from before' from locked
      where last_message_id is null or ${id} > last_message_id
      returning room_id, id
    ), moved as (
      update rooms set last_message_id = written.id from written where rooms.id = written.room_id
    )
    select id from written`.execute(db)
  return rows.length === 1
}

async function send(): Promise<string> {
  const { status, body } = await call(ann, 'POST', `/rooms/${roomId}/messages`, { content: 'from now' })
  expect(status).toBe(200)
  return body.data.id
}

async function pointers(): Promise<unknown[]> {
  return [(await roomRow(roomId))?.last_message_id, await lastMessageId(roomId)]
}

async function triggersOfHeads(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tgname as name from pg_trigger where tgrelid = 'room_heads'::regclass and not tgisinternal`.execute(
    db,
  )
  return rows.map((row) => row.name)
}

test('each version sees what the other sends, and ids of a room keep rising', async () => {
  expect(await pointers()).toEqual([written, written])
  const early = newId()
  const first = await send()
  expect(await pointers()).toEqual([first, first])
  expect(await sendBefore(early)).toBe(false)

  const ahead = ((BigInt(Date.now() + 60_000 - epochMs) << 22n) | 77n).toString()
  expect(await sendBefore(ahead)).toBe(true)
  expect(await pointers()).toEqual([ahead, ahead])
  expect((await call(ann, 'GET', `/rooms/${roomId}`)).body.data.last_message_id).toBe(ahead)
  const next = await send()
  expect(BigInt(next)).toBeGreaterThan(BigInt(ahead))
  expect(await pointers()).toEqual([next, next])
})

test('both versions send into a room at once without failures', async () => {
  async function insist(): Promise<string> {
    const id = newId()
    return (await sendBefore(id)) ? id : insist()
  }
  const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? send() : insist())))
  const newest = ids.reduce((one, other) => (BigInt(one) > BigInt(other) ? one : other))
  expect(new Set(ids).size).toBe(30)
  expect(await pointers()).toEqual([newest, newest])
})

test('the version before can create rooms and delete them', async () => {
  const id = newId()
  await sql`insert into rooms (id, type, owner_id) values (${id}, 2, ${ann.id})`.execute(db)
  expect(await lastMessageId(id)).toBe(null)
  await sql`delete from rooms where id = ${id}`.execute(db)
  expect(await lastMessageId(id)).toBeUndefined()
})

test('a start beside other processes keeps the trigger, and one beside none drops it', async () => {
  await dropUpgradeTriggers(db)
  expect(await triggersOfHeads()).toEqual(['room_heads_move_rooms'])
  await node.release()
  await dropUpgradeTriggers(db)
  expect(await triggersOfHeads()).toEqual([])
})

test('a database that no process uses gets no trigger', async () => {
  await migrator(db).migrateTo(before)
  await migrateToLatest(db)
  expect(await triggersOfHeads()).toEqual([])
  expect((await pointers())[1]).not.toBe(null)
})
