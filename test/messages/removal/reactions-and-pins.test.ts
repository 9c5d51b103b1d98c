import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { password, resident } from '../../support/accounts.ts'
import { listen, logIn } from '../../support/gateway.ts'
import { reactionScene as scene } from '../../support/reactions.ts'
import { untilWaiting } from '../../support/waiting.ts'
import { call, db, group, houseRoom, message, user } from '../../support/world.ts'

const app = await listen()

test('reactions end with their message, their room and their house', async () => {
  const { ann, bob, den, put, url } = await scene()
  const left = async () => {
    const tables = ['reactions', 'reaction_counts', 'pins'] as const
    const counts = await Promise.all(
      tables.map((table) => db.selectFrom(table).selectAll().where('room_id', '=', den.room_id).execute()),
    )
    return counts.map((rows) => rows.length)
  }
  await put(ann, '👍')
  await put(bob, '👍')
  await call(ann, 'PUT', url.replace('messages', 'pins'))
  expect(await left()).toEqual([2, 1, 1])
  await call(ann, 'DELETE', url)
  expect(await left()).toEqual([0, 0, 0])

  const other = await message(den.room_id, ann)
  const path = `/rooms/${den.room_id}/messages/${other}/reactions/${encodeURIComponent('👍')}`
  await call(bob, 'PUT', path)
  await call(ann, 'PUT', `/rooms/${den.room_id}/pins/${other}`)
  expect(await left()).toEqual([1, 1, 1])
  await call(ann, 'DELETE', `/houses/${den.id}`)
  await expect.poll(left).toEqual([0, 0, 0])
})

test('they end with the group of an account that is deleted, and stay on what others wrote', async () => {
  const [ann, bob] = [await resident(), await user()]
  const [own, shared] = [await group(ann), await group(bob, ann)]
  for (const room of [own, shared]) {
    const id = await message(room, room === own ? ann : bob)
    await call(ann, 'PUT', `/rooms/${room}/messages/${id}/reactions/${encodeURIComponent('👍')}`)
    await call(ann, 'PUT', `/rooms/${room}/pins/${id}`)
  }
  expect((await call(ann, 'DELETE', '/users/@me', { password })).status).toBe(200)
  for (const table of ['reactions', 'reaction_counts', 'pins'] as const) {
    const rooms = db.selectFrom(table).select('room_id').where('room_id', 'in', [own, shared])
    await expect.poll(() => rooms.execute()).toEqual([{ room_id: shared }])
  }
  const [pinned] = (await call(bob, 'GET', `/rooms/${shared}/pins`)).body.data
  expect(pinned.reactions).toEqual([{ emoji: '👍', count: 1, me: false }])
  const url = `/rooms/${shared}/messages/${pinned.id}/reactions/${encodeURIComponent('👍')}`
  expect((await call(bob, 'GET', url)).body.data).toMatchObject([{ id: ann.id, name: 'Deleted user' }])
})

test('reactions and pins end when their message explodes', async () => {
  const { ann, bob, den } = await scene()
  const client = await logIn(app, bob)
  const body = { content: 'x', exploding: true, exploding_age: 60 }
  const { id } = (await call(ann, 'POST', `/rooms/${den.room_id}/messages`, body)).body.data
  await call(bob, 'PUT', `/rooms/${den.room_id}/messages/${id}/reactions/${encodeURIComponent('👍')}`)
  await call(ann, 'PUT', `/rooms/${den.room_id}/pins/${id}`)
  await db.updateTable('messages').set({ expires_at: new Date() }).where('id', '=', id).execute()
  await client.next('MESSAGE_DELETE')
  for (const table of ['reactions', 'reaction_counts', 'pins'] as const) {
    expect(await db.selectFrom(table).selectAll().where('room_id', '=', den.room_id).execute()).toEqual([])
  }
})

test('a reaction that came first is never undone by a deletion of the message in between', async () => {
  const { ann, bob, den, url, put } = await scene()
  const [reacted, deleted] = await Promise.all([put(bob, '👍'), call(ann, 'DELETE', url)])
  expect(deleted.status).toBe(200)
  expect([200, 404]).toContain(reacted.status)
  expect(await db.selectFrom('reactions').selectAll().where('room_id', '=', den.room_id).execute()).toEqual(
    [],
  )
})

test('a reaction that came first ends with the house, and one that comes later finds no message', async () => {
  const { ann, bob, den, id, path, put } = await scene()
  const answers = await db.transaction().execute(async (trx) => {
    await sql`select id from messages where room_id = ${den.room_id} and id = ${id} for update`.execute(trx)
    const reacting = put(bob, '👍')
    await untilWaiting(1)
    const deleting = call(ann, 'DELETE', `/houses/${den.id}`)
    await untilWaiting(2)
    return [reacting, deleting]
  })
  for (const answer of answers) expect((await answer).status).toBeLessThan(300)
  const rows = (table: 'messages' | 'reactions') =>
    db.selectFrom(table).selectAll().where('room_id', '=', den.room_id).execute()
  await expect.poll(() => rows('messages')).toEqual([])
  expect(await rows('reactions')).toEqual([])
  expect((await call(bob, 'PUT', path('👍'))).status).toBe(404)
})

test.each(['PUT', 'PATCH', 'DELETE'] as const)(
  '%s on a message waits for a room that is being deleted',
  async (method) => {
    const { ann, den, id, path, url } = await scene()
    await houseRoom(den)
    const asking = await db.transaction().execute(async (trx) => {
      await sql`delete from rooms where id = ${den.room_id}`.execute(trx)
      const asking =
        method === 'PUT' ? call(ann, method, path('👍')) : call(ann, method, url, { content: 'late' })
      await untilWaiting(1)
      return [asking]
    })
    expect((await asking[0]!).status).toBe(404)
    expect(
      await db.selectFrom('messages').select(['content', 'edited_at']).where('id', '=', id).execute(),
    ).toEqual([{ content: expect.not.stringContaining('late'), edited_at: null }])
  },
)
