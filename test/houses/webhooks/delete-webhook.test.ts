import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { eraseDiscarded } from '../../../src/storage/discard.ts'
import { isStored, pictureText } from '../../support/own-user.ts'
import { moderatedHouse, told } from '../../support/permissions.ts'
import { webhook, webhookNotFound, webhookRow } from '../../support/webhooks.ts'
import { call, db, house, houseRoom, store, user } from '../../support/world.ts'

const { MANAGE_INTEGRATIONS } = permission

test('a deleted webhook writes no more; what it wrote is by a deleted user', async () => {
  const den = await moderatedHouse(MANAGE_INTEGRATIONS)
  const hook = await webhook(den)
  const at = `/houses/${den.id}/webhooks/${hook.id}`
  const { icon } = (await call(den.owner, 'PATCH', at, { icon: await pictureText() })).body.data
  const { id } = (await call(null, 'POST', hook.path, { content: 'still here' })).body.data
  const answer = await call(den.moderator, 'DELETE', at)
  expect([answer.status, answer.body.data]).toEqual([200, { id: hook.id, house_id: den.id }])
  expect(told(await call(null, 'POST', hook.path, { content: 'x' }))).toEqual([404, webhookNotFound])
  expect(told(await call(den.moderator, 'DELETE', at))).toEqual([404, webhookNotFound])
  const read = await call(den.member, 'GET', `/rooms/${den.room_id}/messages/${id}`)
  const author = { id: hook.id, name: 'Deleted user', username: `deleted-${hook.id}`, icon: null }
  expect(read.body.data).toMatchObject({ content: 'still here', author })
  await eraseDiscarded(db, store)
  expect(isStored(hook, 'icons', icon)).toBe(false)
})

test('a webhook ends with its room, and with its house', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const room_id = await houseRoom(den)
  const [ofRoom, ofHouse] = [await webhook(den, { room_id }), await webhook(den)]
  await call(ann, 'DELETE', `/rooms/${room_id}`)
  expect(told(await call(null, 'POST', ofRoom.path, { content: 'x' }))).toEqual([404, webhookNotFound])
  expect((await call(null, 'POST', ofHouse.path, { content: 'x' })).status).toBe(200)
  await call(ann, 'DELETE', `/houses/${den.id}`)
  expect(told(await call(null, 'POST', ofHouse.path, { content: 'x' }))).toEqual([404, webhookNotFound])
  expect([await webhookRow(ofRoom.id), await webhookRow(ofHouse.id)]).toEqual([undefined, undefined])
  for (const { id } of [ofRoom, ofHouse]) {
    expect((await call(ann, 'GET', `/users/${id}`)).body.error.code).toBe('user_not_found')
  }
})
