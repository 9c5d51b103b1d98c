import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { moderatedHouse, told } from '../../support/permissions.ts'
import { webhook, webhookNotFound } from '../../support/webhooks.ts'
import { call } from '../../support/world.ts'

const { MANAGE_INTEGRATIONS } = permission

test('a new address ends the old one at once', async () => {
  const den = await moderatedHouse(MANAGE_INTEGRATIONS)
  const hook = await webhook(den)
  const answer = await call(den.moderator, 'POST', `/houses/${den.id}/webhooks/${hook.id}/token`)
  expect(Object.keys(answer.body.data)).toEqual([
    'id',
    'house_id',
    'room_id',
    'creator_id',
    'name',
    'icon',
    'url',
  ])
  expect(told(await call(null, 'POST', hook.path, { content: 'x' }))).toEqual([404, webhookNotFound])
  const { pathname } = new URL(answer.body.data.url)
  expect((await call(null, 'POST', pathname, { content: 'x' })).status).toBe(200)
})
