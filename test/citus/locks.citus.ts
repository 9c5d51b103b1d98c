import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/database/client.ts'
import { newId } from '../../src/ids.ts'
import { insertOnShards } from '../../src/messages/send/distributed-queries.ts'
import { lastMessageId } from '../support/rooms.ts'
import { untilWaiting } from '../support/waiting.ts'
import { db, house, houseRoom, message, type Person, user } from '../support/world.ts'
import { workerOf } from './remote-commands.ts'

let ann: Person
let bob: Person
/** Of one house, on different workers. */
let rooms: [string, string]

beforeAll(async () => {
  ;[ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  let other = await houseRoom(den)
  while ((await workerOf(other)) === (await workerOf(den.room_id))) other = await houseRoom(den)
  rooms = [den.room_id, other]
  for (const room of rooms) await message(room, ann)
})

function newMessage(room_id: string, author: Person, id = newId()) {
  const fields = { device_id: author.session_id, content: 'hello', mentions: [], exploding_age: null }
  const rest = { expires_at: null, nonce: null, attachment: null, reply_to: null, reply_mention: null }
  return { room_id, id, author_id: author.id, ...fields, ...rest }
}

function sendIn(trx: Db, room_id: string, author: Person) {
  return insertOnShards(trx, [newMessage(room_id, author)])
}

type Lock = { sender: string; what: string; mode: string; granted: boolean }

/** The locks of two open transactions on all servers, by the process of the coordinator that they belong to. */
async function locksOf(pids: readonly number[]): Promise<Lock[]> {
  const { rows } = await sql<Lock>`
    select (global_pid % 10000000000)::text as sender, mode, granted,
      concat_ws(' ', nodeid, locktype, relation_name, page, tuple, virtualxid, transactionid, classid, objid) as what
    from citus_locks where (global_pid % 10000000000) = any(${pids}::bigint[])`.execute(db)
  return rows
}

const exclusive = new Set(['ExclusiveLock', 'AccessExclusiveLock', 'ShareRowExclusiveLock'])

test('two open sends to rooms on different workers share no lock, and neither waits', async () => {
  await db.transaction().execute(async (one) => {
    const pidOf = async (trx: Db) =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)).rows[0]!.pid
    const first = await sendIn(one, rooms[0], ann)
    await db.transaction().execute(async (other) => {
      const second = await sendIn(other, rooms[1], bob)
      expect([first.refusals, second.refusals]).toEqual([[], []])
      const pids = [await pidOf(one), await pidOf(other)]
      const locks = await locksOf(pids)
      expect(locks.filter((lock) => !lock.granted)).toEqual([])
      const ofSender = (pid: number) =>
        locks
          .filter(({ sender, mode }) => sender === String(pid) && exclusive.has(mode))
          .map(({ what }) => what)
      const [own, others] = pids.map(ofSender) as [string[], string[]]
      expect([own.length > 0, others.length > 0]).toEqual([true, true])
      expect(own.filter((what) => others.includes(what))).toEqual([])
    })
  })
})

test('of a batch only the messages to a room that is ahead are refused, and all others are written', async () => {
  const early = newId()
  const newest = await message(rooms[0], ann)
  const batch = [newMessage(rooms[0], ann, early), newMessage(rooms[1], ann), newMessage(rooms[0], bob)]
  const { refusals, entryIds } = await insertOnShards(db, batch)
  expect(refusals).toEqual([batch[0]!, batch[2]!].map(({ id }) => ({ id, reason: 'behind' })))
  expect(entryIds.size).toBe(1)
  const written = await sql<{ id: string }>`
    select id from messages where room_id = any(${rooms}::bigint[]) and id >= ${early} order by id`.execute(
    db,
  )
  expect(written.rows.map(({ id }) => id)).toEqual([newest, batch[1]!.id])
  expect(await lastMessageId(rooms[0])).toBe(newest)
})

test('a send to a room whose head is not to be seen yet waits for it', async () => {
  const roomId = newId()
  await sql`insert into rooms (id, type, owner_id) values (${roomId}, 2, ${ann.id})`.execute(db)
  await sql`delete from room_heads where room_id = ${roomId}`.execute(db)
  const ahead = newId()
  const sending = await db.transaction().execute(async (trx) => {
    await sql`insert into room_heads (room_id, last_message_id) values (${roomId}, ${ahead})`.execute(trx)
    const first = insertOnShards(db, [newMessage(roomId, ann)])
    await untilWaiting(1)
    return { first }
  })
  expect((await sending.first).refusals).toEqual([])
  expect(BigInt((await lastMessageId(roomId))!)).toBeGreaterThan(BigInt(ahead))
})
