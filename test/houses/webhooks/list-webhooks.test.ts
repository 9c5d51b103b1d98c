import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { moderatedHouse, told } from '../../support/permissions.ts'
import { webhook, webhookNotFound } from '../../support/webhooks.ts'
import { call, house, houseRoom } from '../../support/world.ts'

const { MANAGE_INTEGRATIONS, READ_MESSAGES } = permission

test('the list has the webhooks of the rooms that one can read, without their addresses', async () => {
  const den = await moderatedHouse(MANAGE_INTEGRATIONS)
  const hidden = await houseRoom(den, { default_deny: READ_MESSAGES })
  const [one, other] = [await webhook(den, { name: 'One', creator: den.owner }), await webhook(den)]
  const secret = await webhook(den, { room_id: hidden })
  const at = `/houses/${den.id}/webhooks`
  const shown = {
    id: one.id,
    house_id: den.id,
    room_id: den.room_id,
    creator_id: den.owner.id,
    name: 'One',
    icon: null,
  }
  expect((await call(den.moderator, 'GET', at)).body.data).toEqual([
    shown,
    { ...shown, id: other.id, creator_id: null, name: 'Hook' },
  ])
  expect((await call(den.owner, 'GET', at)).body.data).toHaveLength(3)
  for (const [method, path, body] of [
    ['PATCH', '', { name: 'x' }],
    ['DELETE', '', undefined],
    ['POST', '/token', undefined],
  ] as const) {
    for (const id of [secret.id, '1', 'x', den.id]) {
      const answer = await call(den.moderator, method, `${at}/${id}${path}`, body)
      expect(told(answer)).toEqual([404, webhookNotFound])
    }
  }
  const elsewhere = await house({ owner: den.owner })
  const moved = await call(den.owner, 'PATCH', `/houses/${elsewhere.id}/webhooks/${one.id}`, { name: 'x' })
  expect(told(moved)).toEqual([404, webhookNotFound])
})
