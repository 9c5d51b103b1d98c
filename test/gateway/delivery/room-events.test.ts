import { expect, test } from 'vitest'
import type { HearthEvent } from '../../../src/events/events.ts'
import { type Frame, listen } from '../../support/gateway.ts'
import { expectSilence, nextExact, publish, scene } from '../../support/gateway-scene.ts'
import { call, db, group, houseRoom, role } from '../../support/world.ts'

const app = await listen()
const readMessages = 2

test('creating and deleting a room sends ROOM_CREATE and ROOM_DELETE to readers', async () => {
  const { ann, ben, den, onAnn, onBen } = await scene(app)
  const secret = await houseRoom(den, { default_deny: readMessages })
  await publish(
    { type: 'room_created', room_id: secret, house_id: den.id },
    { type: 'entities_updated', house_id: den.id },
  )
  expect((await nextExact(onAnn, 'ROOM_CREATE')).id).toBe(secret)
  const pointers = (d: Frame['d']) => d.entities[0].resource_pointers.length
  expect(pointers(await nextExact(onAnn, 'HOUSE_ENTITIES_UPDATE'))).toBe(2)
  expect(pointers(await nextExact(onBen, 'HOUSE_ENTITIES_UPDATE'))).toBe(1)
  expect(onBen.passed).toEqual([])
  await publish({ type: 'room_created', room_id: secret, house_id: den.id })
  await db.deleteFrom('rooms').where('id', '=', secret).execute()
  await publish(
    { type: 'room_deleted', room_id: secret, house_id: den.id },
    { type: 'visibility_changed', house_id: den.id, user_ids: null },
  )
  // Sent once, although the loss is published twice.
  expect(await nextExact(onAnn, 'ROOM_DELETE')).toEqual({ id: secret, house_id: den.id })
  expect(onAnn.passed).toEqual([])
  await expectSilence(onAnn, ann)
  await expectSilence(onBen, ben)
})

test('changing a room sends ROOM_UPDATE to readers', async () => {
  const { ann, ben, den, onAnn, onBen } = await scene(app)
  const edited = await call(ann, 'PATCH', `/rooms/${den.room_id}`, { description: 'new' })
  expect(await nextExact(onAnn, 'ROOM_UPDATE')).toEqual(edited.body.data)
  expect(await nextExact(onBen, 'ROOM_UPDATE')).toMatchObject({ description: 'new', recipients: null })
  await expectSilence(onBen, ben)
})

test('losing a room sends ROOM_DELETE and nothing after it; gaining it sends ROOM_CREATE', async () => {
  const { ann, ben, den, onAnn, onBen } = await scene(app)
  const gag = await role(den, { deny: readMessages })
  const row = { house_id: den.id, user_id: ben.id, role_id: gag }
  const changed: HearthEvent[] = [
    { type: 'member_updated', house_id: den.id, user_id: ben.id },
    { type: 'visibility_changed', house_id: den.id, user_ids: [ben.id] },
  ]
  await db.insertInto('member_roles').values(row).execute()
  await publish(...changed)
  await nextExact(onBen, 'HOUSE_MEMBER_UPDATE')
  expect(await nextExact(onBen, 'ROOM_DELETE')).toEqual({ id: den.room_id, house_id: den.id })
  expect((await nextExact(onBen, 'HOUSE_ENTITIES_UPDATE')).entities[0].resource_pointers).toEqual([])
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'alone?' })
  await publish({ type: 'room_updated', room_id: den.room_id, house_id: den.id })
  await nextExact(onAnn, 'ROOM_UPDATE')
  await expectSilence(onBen, ben)
  await db.deleteFrom('member_roles').where('role_id', '=', gag).execute()
  await publish(...changed, { type: 'visibility_changed', house_id: den.id, user_ids: null })
  const room = await nextExact(onBen, 'ROOM_CREATE')
  expect(room.last_message_id).not.toBe(null)
  expect((await nextExact(onBen, 'HOUSE_ENTITIES_UPDATE')).entities[0].resource_pointers.length).toBe(1)
  await expectSilence(onBen, ben)
  await publish({ type: 'user_updated', user_id: ann.id, only_self: true })
  await onAnn.next('USER_UPDATE')
  expect(onAnn.passed).toEqual(['HOUSE_MEMBER_UPDATE'])
})

test('sends no ROOM_UPDATE to those whom an override shuts out', async () => {
  const { ann, ben, den, onAnn, onBen } = await scene(app)
  const override = { type: 1, allow: 0, deny: readMessages }
  await call(ann, 'PUT', `/rooms/${den.room_id}/overrides/${ben.id}`, override)
  const { permission_overrides } = await nextExact(onAnn, 'ROOM_UPDATE')
  expect(permission_overrides).toEqual({ [ben.id]: { id: ben.id, ...override } })
  await nextExact(onBen, 'ROOM_DELETE')
  expect(onBen.events.map((frame) => frame.e)).not.toContain('ROOM_UPDATE')
})

test('sends no ROOM_UPDATE to one who has left a group', async () => {
  const { ann, ben, cat, onAnn, onBen } = await scene(app)
  const room_id = await group(ann, ben, cat)
  for (const { id } of [ann, ben]) await publish({ type: 'private_room_entered', room_id, user_id: id })
  await db
    .deleteFrom('room_recipients')
    .where('room_id', '=', room_id)
    .where('user_id', '=', ben.id)
    .execute()
  await publish({ type: 'room_updated', room_id, house_id: null })
  await nextExact(onAnn, 'ROOM_UPDATE')
  await nextExact(onBen, 'ROOM_CREATE')
  await expectSilence(onBen, ben)
})

test('a message sends MESSAGE_CREATE to readers including the author', async () => {
  const { ann, ben, cat, den, onAnn, onBen, onCat } = await scene(app)
  const answer = await call(ben, 'POST', `/rooms/${den.room_id}/messages`, { content: `hi <@${ann.id}>` })
  for (const client of [onAnn, onBen]) {
    expect(await nextExact(client, 'MESSAGE_CREATE')).toEqual(answer.body.data)
  }
  expect(answer.body.data).toMatchObject({ exploding: null, house_id: den.id })
  expect(typeof answer.body.data.timestamp).toBe('number')
  await expectSilence(onCat, cat)
})

test('editing and deleting a message sends MESSAGE_UPDATE and MESSAGE_DELETE', async () => {
  const { ben, den, onAnn } = await scene(app)
  const sent = await call(ben, 'POST', `/rooms/${den.room_id}/messages`, { content: 'one' })
  const { id } = sent.body.data
  const edited = await call(ben, 'PATCH', `/rooms/${den.room_id}/messages/${id}`, { content: 'two' })
  expect(await nextExact(onAnn, 'MESSAGE_UPDATE')).toEqual(edited.body.data)
  await call(ben, 'DELETE', `/rooms/${den.room_id}/messages/${id}`)
  const place = { room_id: den.room_id, house_id: den.id }
  expect(await nextExact(onAnn, 'MESSAGE_DELETE')).toEqual({ id, message_id: id, ...place })
})

test('TYPING_START has recipient_ids in private rooms only', async () => {
  const { ann, ben, den, onBen } = await scene(app)
  const pair = (await call(ann, 'POST', '/users/@me/rooms', { recipient: ben.id })).body.data.id
  const trio = (await call(ann, 'POST', '/users/@me/rooms', { recipients: [ben.id] })).body.data.id
  const received: Frame['d'][] = []
  for (const room_id of [den.room_id, pair, trio]) {
    const { timestamp } = (await call(ann, 'POST', `/rooms/${room_id}/typing`)).body.data
    const { recipient_ids, ...rest } = await nextExact(onBen, 'TYPING_START')
    const house_id = room_id === den.room_id ? den.id : null
    expect(rest).toEqual({ timestamp, room_id, house_id, author_id: ann.id })
    received.push(recipient_ids)
  }
  expect(received.slice(0, 2)).toEqual([undefined, [ben.id]])
  expect(received[2].sort()).toEqual([ann.id, ben.id].sort())
})

test('sends the events of private rooms to their participants', async () => {
  const { ann, ben, onAnn, onBen } = await scene(app)
  const made = await call(ann, 'POST', '/users/@me/rooms', { recipients: [ben.id] })
  const id = made.body.data.id
  expect(await nextExact(onAnn, 'ROOM_CREATE')).toEqual(made.body.data)
  expect((await nextExact(onBen, 'ROOM_CREATE')).recipients.map((one: { id: string }) => one.id)).toEqual([
    ann.id,
  ])
  await publish({ type: 'private_room_entered', room_id: id, user_id: ben.id })
  await call(ben, 'POST', `/rooms/${id}/messages`, { content: 'hi' })
  expect(await nextExact(onAnn, 'MESSAGE_CREATE')).toMatchObject({ house_id: null, exploding: false })
  await call(ben, 'DELETE', `/users/@me/rooms/${id}`)
  expect(await nextExact(onBen, 'ROOM_DELETE')).toEqual({ id, house_id: null })
  expect(onBen.passed).not.toContain('ROOM_CREATE')
  await publish({ type: 'private_room_left', room_id: id, user_id: ben.id })
  expect((await nextExact(onAnn, 'ROOM_UPDATE')).recipients.map((one: { id: string }) => one.id)).toEqual([
    ann.id,
  ])
  await call(ann, 'POST', `/rooms/${id}/messages`, { content: 'gone?' })
  await nextExact(onAnn, 'MESSAGE_CREATE')
  await expectSilence(onBen, ben)
})
