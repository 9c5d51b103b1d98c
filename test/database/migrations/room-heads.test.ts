import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { migrateToLatest, migrator } from '../../../src/database/migrations/migrate.ts'
import { dropUpgradeTriggers } from '../../../src/database/migrations/upgrade-triggers.ts'
import { claimNodeNumber } from '../../../src/database/node-number.ts'
import { newId } from '../../../src/ids.ts'
import { idAhead } from '../../support/id-ahead.ts'
import { ownWorld } from '../../support/own-world.ts'
import { lastMessageId, roomRow } from '../../support/rooms.ts'
import { call, databaseUrl, db, house, message, node, type Person, user } from '../../support/world.ts'

await ownWorld()

const before = '0037_events_sequence'
/** The process that uses the database. */
let running: { release(): Promise<void> } = node
afterAll(() => running.release())

/** Does something while no process uses the database. */
async function whileStopped(act: () => Promise<void>): Promise<void> {
  await running.release()
  await act()
  running = await claimNodeNumber(databaseUrl, { assign: () => {}, relaying: 'postgres' })
}

/** Upgrades from the version before. */
async function upgrade(): Promise<void> {
  await migrator(db).migrateTo(before)
  await migrateToLatest(db)
}

/** Upgrades after a message in a room, to which each version can send. */
async function upgradedRoom() {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const written = await message(room_id, ann)
  await upgrade()
  const send = async (): Promise<string> => {
    const { status, body } = await call(ann, 'POST', `/rooms/${room_id}/messages`, { content: 'from now' })
    expect(status).toBe(200)
    return body.data.id
  }
  const pointers = async () => [(await roomRow(room_id))?.last_message_id, await lastMessageId(room_id)]
  return { ann, room_id, written, send, sendBefore: sendBefore(ann, room_id), pointers }
}

/** Sends as a process of the version before: what its statement did with rooms and messages. Whether it was written. */
const sendBefore = (author: Person, roomId: string) => async (id: string) => {
  const { rows } = await sql`
    with locked as materialized (
      select id, house_id, last_message_id from rooms where id = ${roomId} order by id for no key update
    ), written as (
      insert into messages (room_id, house_id, id, author_id, device_id, content)
      select locked.id, house_id, ${id}, ${author.id}, ${author.session_id}, 'from before' from locked
      where last_message_id is null or ${id} > last_message_id
      returning room_id, id
    ), moved as (
      update rooms set last_message_id = written.id from written where rooms.id = written.room_id
    )
    select id from written`.execute(db)
  return rows.length === 1
}

async function triggersOfHeads(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tgname as name from pg_trigger where tgrelid = 'room_heads'::regclass and not tgisinternal`.execute(
    db,
  )
  return rows.map((row) => row.name)
}

test('each version sees what the other sends, and ids of a room keep rising', async () => {
  const { ann, room_id, written, send, sendBefore, pointers } = await upgradedRoom()
  expect(await pointers()).toEqual([written, written])
  const early = newId()
  const first = await send()
  expect(await pointers()).toEqual([first, first])
  expect(await sendBefore(early)).toBe(false)

  const ahead = idAhead()
  expect(await sendBefore(ahead)).toBe(true)
  expect(await pointers()).toEqual([ahead, ahead])
  expect((await call(ann, 'GET', `/rooms/${room_id}`)).body.data.last_message_id).toBe(ahead)
  const next = await send()
  expect(BigInt(next)).toBeGreaterThan(BigInt(ahead))
  expect(await pointers()).toEqual([next, next])
})

test('both versions send into a room at once without failures', async () => {
  const { send, sendBefore, pointers } = await upgradedRoom()
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
  const { ann } = await upgradedRoom()
  const id = newId()
  await sql`insert into rooms (id, type, owner_id) values (${id}, 2, ${ann.id})`.execute(db)
  expect(await lastMessageId(id)).toBe(null)
  await sql`delete from rooms where id = ${id}`.execute(db)
  expect(await lastMessageId(id)).toBeUndefined()
})

test('a start beside other processes keeps the trigger, and one beside none drops it', async () => {
  await upgrade()
  await dropUpgradeTriggers(db)
  expect(await triggersOfHeads()).toEqual(['room_heads_move_rooms'])
  await whileStopped(() => dropUpgradeTriggers(db))
  expect(await triggersOfHeads()).toEqual([])
})

test('a database that no process uses gets no trigger', async () => {
  const { send, pointers } = await upgradedRoom()
  const sent = await send()
  await whileStopped(upgrade)
  expect(await triggersOfHeads()).toEqual([])
  expect((await pointers())[1]).toBe(sent)
})
