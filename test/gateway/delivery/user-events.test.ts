import { type KyselyPlugin, sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { listMembersFor } from '../../../src/gateway/sessions/requests.ts'
import { crowd, join } from '../../support/crowds.ts'
import { Client, listen, logIn, pauseLogins } from '../../support/gateway.ts'
import { expectSilence, nextExact, publish, scene } from '../../support/gateway-scene.ts'
import { untilWaiting } from '../../support/waiting.ts'
import { call, db, friends, house, user } from '../../support/world.ts'

const app = await listen()

test('a profile change sends USER_UPDATE to oneself, friends and partners', async () => {
  const { ann, ben, cat, onAnn, onBen, onCat } = await scene(app)
  await friends(ann, cat)
  await db.updateTable('users').set({ email_verified: true, bio: 'new' }).where('id', '=', ann.id).execute()
  await publish({ type: 'user_updated', user_id: ann.id, only_self: false })
  expect(await nextExact(onAnn, 'USER_UPDATE')).toMatchObject({ bio: 'new', email_verified: true })
  expect(await nextExact(onCat, 'USER_UPDATE')).toMatchObject({ bio: 'new', email_verified: false })
  await expectSilence(onBen, ben)
  await publish({ type: 'user_updated', user_id: ann.id, only_self: true })
  await nextExact(onAnn, 'USER_UPDATE')
  await expectSilence(onCat, cat)
  const received = onCat.events.filter((frame) => frame.e === 'USER_UPDATE' && frame.d.id === ann.id)
  expect(received).toHaveLength(1)
})

test('sends USER_UPDATE before HOUSE_MEMBER_UPDATE although it reads longer', async () => {
  const { ann, ben, den, onBen } = await scene(app)
  await friends(ann, ben)
  onBen.takeAll()
  const received = await db.transaction().execute(async (trx) => {
    await sql`lock table friendships`.execute(trx)
    const received = publish(
      { type: 'user_updated', user_id: ann.id, only_self: false },
      { type: 'member_updated', house_id: den.id, user_id: ann.id },
    )
    await untilWaiting(1)
    return { received }
  })
  await received.received
  for (const name of ['USER_UPDATE', 'HOUSE_MEMBER_UPDATE']) {
    await onBen.next(name)
    expect(onBen.passed).toEqual([])
  }
})

test('sends RELATIONSHIP_UPDATE with six keys to each side that changed', async () => {
  const { ann, ben, onAnn, onBen } = await scene(app)
  await call(ann, 'POST', '/relationships/@me/friend-requests', { user_id: ben.id })
  expect(await nextExact(onAnn, 'RELATIONSHIP_UPDATE')).toMatchObject({
    id: ben.id,
    user_id: ben.id,
    recipient_id: ann.id,
    type: 1,
  })
  expect(await nextExact(onBen, 'RELATIONSHIP_UPDATE')).toMatchObject({ id: ann.id, type: 2 })
  await call(ann, 'PUT', `/relationships/@me/blocked/${ben.id}`)
  expect((await nextExact(onAnn, 'RELATIONSHIP_UPDATE')).type).toBe(5)
  expect((await nextExact(onBen, 'RELATIONSHIP_UPDATE')).type).toBe(0)
})

test('sends read states and settings to extended connections of the user only', async () => {
  const { ann, ben, den, onAnn } = await scene(app)
  const extended = await logIn(app, ann, { extended: true })
  const sent = await call(ben, 'POST', `/rooms/${den.room_id}/messages`, { content: `<@${ann.id}>` })
  await nextExact(onAnn, 'MESSAGE_CREATE')
  const acked = await call(ann, 'POST', `/rooms/${den.room_id}/messages/${sent.body.data.id}/ack`)
  expect(await nextExact(extended, 'READ_STATE_UPDATE')).toEqual(acked.body.data)
  const settings = await call(ann, 'PATCH', '/users/@me/settings', { onboarded: true })
  expect(await nextExact(extended, 'SETTINGS_UPDATE')).toEqual(settings.body.data)
  await expectSilence(onAnn, ann)
})

test('op 7 sends the requested members, and nothing to a stranger', async () => {
  const { ann, ben, cat, den, onBen, onCat } = await scene(app)
  onBen.send({ op: 7, d: { house_id: den.id, user_ids: [ben.id, 5] } })
  onBen.send({ op: 7, d: { house_id: den.id, user_ids: [ann.id, cat.id, '1', 'x', ann.id] } })
  const some = await nextExact(onBen, 'HOUSE_MEMBERS_CHUNK')
  expect([some.house_id, Object.keys(some.members)]).toEqual([den.id, [ann.id]])
  onBen.send({ op: 7, d: { house_id: den.id, user_ids: [cat.id] } })
  expect(await nextExact(onBen, 'HOUSE_MEMBERS_CHUNK')).toEqual({ house_id: den.id, members: {} })
  onBen.send({ op: 7, d: { house_id: den.id, user_ids: [] } })
  const all = await nextExact(onBen, 'HOUSE_MEMBERS_CHUNK')
  expect(Object.keys(all.members).sort()).toEqual([ann.id, ben.id].sort())
  onCat.send({ op: 7, d: { house_id: den.id, user_ids: [] } })
  onCat.send({ op: 6, d: { user_ids: [] } })
  await expectSilence(onCat, cat)
})

test('answers every op 7 of many sent at once', async () => {
  const { ann, den, onBen } = await scene(app)
  for (let number = 0; number < 119; number += 1)
    onBen.send({ op: 7, d: { house_id: den.id, user_ids: [ann.id] } })
  const answers = () => onBen.events.filter((frame) => frame.e === 'HOUSE_MEMBERS_CHUNK').length
  await expect.poll(answers).toBe(119)
})

test('counts only the ids of requests that wait', async () => {
  const { ann, den, onBen } = await scene(app)
  const strangers = Array.from({ length: 1_000 }, (_, number) => `${number + 1}`)
  for (let number = 0; number < 60; number += 1) {
    onBen.send({ op: 7, d: { house_id: den.id, user_ids: strangers } })
    expect((await nextExact(onBen, 'HOUSE_MEMBERS_CHUNK')).members).toEqual({})
  }
  onBen.send({ op: 7, d: { house_id: den.id, user_ids: [ann.id] } })
  expect(Object.keys((await nextExact(onBen, 'HOUSE_MEMBERS_CHUNK')).members)).toEqual([ann.id])
})

test('answers an op 7 sent during the login after the HOUSE_JOINs', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const goOn = pauseLogins(app, ann)
  const client = new Client(app)
  client.send({ op: 2, d: { token: ann.token, extended: true } })
  await client.next('INIT_STATE')
  client.send({ op: 7, d: { house_id: den.id, user_ids: [] } })
  client.send({ op: 3 })
  await client.until(() => client.frames.at(-1)!.op === 12, 'the answer to the heartbeat')
  goOn()
  expect(Object.keys((await nextExact(client, 'HOUSE_MEMBERS_CHUNK')).members)).toEqual([ann.id])
  expect(client.passed).toEqual(['HOUSE_JOIN'])
})

test('sends members requested by id in chunks of 1,000', async () => {
  const { den, onBen } = await scene(app)
  const user_ids = await crowd(1_500)
  await join(den, user_ids)
  onBen.send({ op: 7, d: { house_id: den.id, user_ids } })
  const chunks = [
    await nextExact(onBen, 'HOUSE_MEMBERS_CHUNK'),
    await nextExact(onBen, 'HOUSE_MEMBERS_CHUNK'),
  ]
  const listed = chunks.map(({ members }) => Object.keys(members))
  expect(listed.map((ids) => ids.length)).toEqual([1_000, 500])
  expect(listed.flat()).toEqual(user_ids)
})

test('sends a house of exactly 1,000 members in one chunk', async () => {
  const { ann, ben, den, onBen } = await scene(app)
  await join(den, await crowd(998))
  onBen.send({ op: 7, d: { house_id: den.id, user_ids: [] } })
  const { members } = await nextExact(onBen, 'HOUSE_MEMBERS_CHUNK')
  expect(Object.keys(members)).toHaveLength(1_000)
  expect(members).toMatchObject({ [ann.id]: {}, [ben.id]: {} })
  await expectSilence(onBen, ben)
})

test('an event that cannot be sent closes the sessions of its house with 1011', async () => {
  const { den, onAnn, onBen, onCat } = await scene(app)
  // The database refuses what is no id, as a bug would make it do.
  await publish({ type: 'member_updated', house_id: den.id, user_id: 'nonsense' })
  for (const client of [onAnn, onBen])
    expect(await client.end()).toEqual({ code: 1011, reason: 'internal_error' })
  expect(onCat.closed).toBeUndefined()
})

test('a HOUSE_JOIN that cannot be sent closes only the joiner, with 1011', async () => {
  const { ben, onAnn, onBen, onCat } = await scene(app)
  await publish({ type: 'member_joined', house_id: 'nonsense', user_id: ben.id })
  expect(await onBen.end()).toEqual({ code: 1011, reason: 'internal_error' })
  expect([onAnn.closed, onCat.closed]).toEqual([undefined, undefined])
})

test('an op 7 that fails closes the client with 1011', async () => {
  const { ben, den, onBen } = await scene(app)
  const { connection } = app.gateway.registry.sessionsOfUser(ben.id)[0]!
  vi.spyOn(connection!, 'drained').mockRejectedValue(new Error('as a bug would have it'))
  onBen.send({ op: 7, d: { house_id: den.id, user_ids: [] } })
  expect(await onBen.end()).toEqual({ code: 1011, reason: 'internal_error' })
})

test('reads members for a slow client only when they can be sent', async () => {
  const { ann, ben, cat, den, onBen } = await scene(app)
  await db.insertInto('members').values({ house_id: den.id, user_id: cat.id }).execute()
  onBen.socket.pause()
  const [session] = app.gateway.registry.sessionsOfUser(ben.id)
  // Only the size of the frame matters here.
  const words = { room_id: den.room_id, house_id: den.id, timestamp: 1, author_id: 'x'.repeat(4_000) }
  const unsent = () => session!.connection.countBuffered()
  // Until the network takes no more of them.
  for (let turns = 0; turns < 50; ) {
    const before = unsent()
    const isFew = before < 2 * 1024 * 1024
    if (isFew) await publish({ type: 'typing_started', ...words })
    await new Promise(setImmediate)
    turns = isFew || unsent() < before ? 0 : turns + 1
  }
  onBen.send({ op: 7, d: { house_id: den.id, user_ids: [] } })
  await expect.poll(() => session!.waitingIds).toBeGreaterThan(0)
  await call(ann, 'GET', `/houses/${den.id}/members`)
  await call(cat, 'DELETE', `/users/@me/houses/${den.id}`)
  onBen.socket.resume()
  await onBen.next('HOUSE_MEMBER_LEAVE')
  expect(Object.keys((await nextExact(onBen, 'HOUSE_MEMBERS_CHUNK')).members)).toEqual([ann.id, ben.id])
})

test('sends no members of a house left during the read', async () => {
  const { ann, ben, den, onBen } = await scene(app)
  const { registry } = app.gateway
  const [session] = registry.sessionsOfUser(ben.id)
  const leaving: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      registry.leaveHouse(session!, den.id)
      return result
    },
  }
  const gateway = { ...app.gateway.context, db: db.withPlugin(leaving) }
  await listMembersFor(gateway, session!, { ids: [ann.id], houseId: den.id })
  await expectSilence(onBen, ben)
})
