import { expect, test } from 'vitest'
import type { HearthEvent } from '../../src/events/events.ts'
import { listen, logIn } from '../support/gateway.ts'
import { expectSilence, heard, publish, scene } from '../support/gateway-scene.ts'
import { inviteTo } from '../support/invites.ts'
import { call, group, published } from '../support/world.ts'

// One process: PostgreSQL may answer two commits in the other order than it made them, and the gateway hears of the
// later change first. The earlier one is published here a second time, as if it had only now been heard of.

const app = await listen({ offlineAfterMs: 30 })

function last<Type extends HearthEvent['type']>(type: Type): Extract<HearthEvent, { type: Type }> {
  return published.findLast((event) => event.type === type) as Extract<HearthEvent, { type: Type }>
}

test('an edit that is heard of after the next one is told as the message is now', async () => {
  const { ann, den, onBen } = await scene(app)
  const path = `/rooms/${den.room_id}/messages`
  const { id } = (await call(ann, 'POST', path, { content: 'said' })).body.data
  await call(ann, 'PATCH', `${path}/${id}`, { content: 'first' })
  const first = last('message_updated')
  const { data } = (await call(ann, 'PATCH', `${path}/${id}`, { content: 'second' })).body
  await publish(first)
  expect(await heard(onBen, 'MESSAGE_UPDATE')).toMatchObject({ content: 'first' })
  expect(await heard(onBen, 'MESSAGE_UPDATE')).toEqual(data)
  expect(await heard(onBen, 'MESSAGE_UPDATE')).toEqual(data)
})

test('an edit that is heard of after the deletion of its message is not told', async () => {
  const { ann, ben, den, onBen } = await scene(app)
  const path = `/rooms/${den.room_id}/messages`
  const { id } = (await call(ann, 'POST', path, { content: 'said' })).body.data
  await call(ann, 'PATCH', `${path}/${id}`, { content: 'edited' })
  await call(ann, 'DELETE', `${path}/${id}`)
  await publish(last('message_updated'))
  for (const name of ['CREATE', 'UPDATE', 'DELETE']) await heard(onBen, `MESSAGE_${name}`)
  await expectSilence(onBen, ben)
})

test('who is removed from a group and added again hears last that they are in it', async () => {
  const { ann, ben, cat } = await scene(app)
  const id = await group(ann, ben, cat)
  const client = await logIn(app, ben)
  await call(ann, 'DELETE', `/rooms/${id}/recipients/${ben.id}`)
  const removal = last('private_room_left')
  await call(ann, 'PUT', `/rooms/${id}/recipients/${ben.id}`)
  await publish(removal)
  await call(ann, 'POST', `/rooms/${id}/messages`, { content: 'hello' })
  for (const name of ['DELETE', 'CREATE', 'DELETE', 'CREATE']) await heard(client, `ROOM_${name}`)
  expect(await heard(client, 'MESSAGE_CREATE')).toMatchObject({ content: 'hello' })
})

test('who left a house and joined it again is told last, like its members, that they are in it', async () => {
  const { ann, ben, den, onAnn, onBen } = await scene(app)
  const code = await inviteTo(den)
  await call(ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`)
  const leave = last('member_left')
  await call(ben, 'POST', `/invites/${code}`)
  await publish(leave)
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'hello' })
  for (const name of ['LEAVE', 'JOIN', 'LEAVE', 'JOIN']) {
    await heard(onBen, `HOUSE_${name}`)
    await heard(onAnn, `HOUSE_MEMBER_${name}`)
  }
  expect(await heard(onBen, 'MESSAGE_CREATE')).toMatchObject({ content: 'hello' })
})

test.each(['ann', 'ben'])(
  'who left a house and joined it again is told of last where only %s is there to hear it',
  async (who) => {
    const { ann, ben, den, onAnn, onBen } = await scene(app)
    const [gone, client, start] = who === 'ann' ? [onBen, onAnn, 'HOUSE_MEMBER'] : [onAnn, onBen, 'HOUSE']
    await gone.close()
    const absent = who === 'ann' ? ben : ann
    await expect.poll(() => app.gateway.hub.ofUser(absent.id)).toEqual([])
    const code = await inviteTo(den)
    await call(ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`)
    const leave = last('member_left')
    await call(ben, 'POST', `/invites/${code}`)
    await publish(leave)
    for (const name of ['LEAVE', 'JOIN', 'LEAVE', 'JOIN']) await heard(client, `${start}_${name}`)
  },
)
