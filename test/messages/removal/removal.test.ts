import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../../src/ids.ts'
import { deleteRemoved } from '../../../src/messages/removal/operations.ts'
import { attach } from '../../support/houses.ts'
import { untilDiscarded } from '../../support/store.ts'
import { call, db, group, house, houseRoom, message, type Person, user } from '../../support/world.ts'

async function countRows(table: 'messages' | 'mentions', roomId: string): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('room_id', '=', roomId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function fill(roomId: string, author: Person, count: number): Promise<void> {
  await sql`
    insert into messages (room_id, id, author_id, device_id, content)
    select ${roomId}, ${newId()}::bigint + n, ${author.id}, ${author.session_id}, 'hello'
    from generate_series(1, ${count}::int) as n`.execute(db)
}

test.each([
  ['room', async (ann: Person) => houseRoom(await house({ owner: ann })), (id: string) => `/rooms/${id}`],
  ['group', (ann: Person) => group(ann), (id: string) => `/users/@me/rooms/${id}`],
] as const)('the messages and files of a deleted %s end with it', async (_kind, create, path) => {
  const ann = await user()
  const room = await create(ann)
  const other = await houseRoom(await house({ owner: ann }))
  const file = await attach(room, await message(room, ann, { mentions: [ann] }))
  await message(other, ann, { mentions: [ann] })
  await fill(room, ann, 2_500)
  expect((await call(ann, 'DELETE', path(room))).status).toBeLessThan(300)
  expect(await countRows('mentions', room)).toBe(0)
  await expect.poll(() => countRows('messages', room)).toBe(0)
  await untilDiscarded(file)
  expect(await countRows('messages', other)).toBe(1)
  expect(await countRows('mentions', other)).toBe(1)
})

test('the messages of all rooms of a deleted house end with it', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const rooms = [den.room_id, await houseRoom(den), await houseRoom(den)]
  for (const room of rooms) await message(room, ann)
  expect((await call(ann, 'DELETE', `/houses/${den.id}`)).status).toBeLessThan(300)
  for (const room of rooms) await expect.poll(() => countRows('messages', room)).toBe(0)
})

test('several processes delete the messages of deleted rooms at once', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const rooms = [await houseRoom(den), await houseRoom(den), await houseRoom(den)]
  for (const room of rooms) {
    await fill(room, ann, 1_500)
    await call(ann, 'DELETE', `/rooms/${room}`)
  }
  const deleteAll = async () => {
    while (await deleteRemoved(db));
  }
  await Promise.all([deleteAll(), deleteAll(), deleteAll()])
  // What is left is in a transaction of the app, which deletes as well.
  for (const room of rooms) await expect.poll(() => countRows('messages', room)).toBe(0)
  const removed = db.selectFrom('removed_rooms').selectAll().where('room_id', 'in', rooms)
  await expect.poll(() => removed.execute()).toEqual([])
})

test('a message of a deleted room cannot be read before it is deleted', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const room = await houseRoom(den)
  const id = await message(room, ann, { content: 'cinder', mentions: [ben] })
  // Another transaction keeps the message from being deleted.
  let release = () => {}
  const locked = db.transaction().execute(async (trx) => {
    await sql`select id from messages where room_id = ${room} and id = ${id} for update`.execute(trx)
    await call(ann, 'DELETE', `/rooms/${room}`)
    await new Promise<void>((resolve) => {
      release = resolve
    })
  })
  await expect.poll(() => countRows('mentions', room)).toBe(0)
  expect(await countRows('messages', room)).toBe(1)
  for (const path of [`/rooms/${room}/messages`, `/rooms/${room}/messages/${id}`])
    expect((await call(ben, 'GET', path)).status, path).toBe(404)
  for (const path of [
    '/streams/@me/mentions',
    '/streams/@me/feed',
    `/houses/${den.id}/messages/search?q=cinder`,
  ]) {
    const { status, body } = await call(ben, 'GET', path)
    expect([status, body.data], path).toEqual([200, []])
  }
  release()
  await locked
})
