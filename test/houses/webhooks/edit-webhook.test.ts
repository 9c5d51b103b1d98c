import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { eraseDiscarded } from '../../../src/storage/discard.ts'
import { isStored, pictureText } from '../../support/own-user.ts'
import {
  emptyBody,
  invalid,
  moderatedHouse,
  noPermission,
  override,
  roomNotFound,
  told,
} from '../../support/permissions.ts'
import { webhook } from '../../support/webhooks.ts'
import { call, db, houseRoom, store } from '../../support/world.ts'

const { MANAGE_INTEGRATIONS } = permission

test('an edit changes what was sent, and the next message shows it', async () => {
  const den = await moderatedHouse(MANAGE_INTEGRATIONS)
  const hook = await webhook(den)
  const at = `/houses/${den.id}/webhooks/${hook.id}`
  const room_id = await houseRoom(den)
  const icon = await pictureText()
  const edited = await call(den.moderator, 'PATCH', at, { name: 'New', room_id, icon })
  const file = edited.body.data.icon
  expect(edited.body.data).toEqual({
    id: hook.id,
    house_id: den.id,
    room_id,
    creator_id: null,
    name: 'New',
    icon: file,
  })
  const sent = await call(null, 'POST', hook.path, { content: 'x' })
  expect(sent.body.data).toMatchObject({ room_id, author: { name: 'New', icon: file } })
  const same = await call(den.moderator, 'PATCH', at, { unknown: 1 })
  expect(same.body.data).toEqual(edited.body.data)
  expect((await call(den.moderator, 'PATCH', at, { icon: null })).body.data.icon).toBeNull()
  await eraseDiscarded(db, store)
  expect(isStored(hook, 'icons', file)).toBe(false)
})

test('an edit of nothing, or of a wrong field, is refused', async () => {
  const den = await moderatedHouse(MANAGE_INTEGRATIONS)
  const { id } = await webhook(den)
  const at = `/houses/${den.id}/webhooks/${id}`
  const edit = (body?: object) => call(den.moderator, 'PATCH', at, body)
  expect(told(await edit())).toEqual([400, emptyBody])
  expect(told(await edit({}))).toEqual([400, emptyBody])
  expect(told(await edit({ name: null, room_id: 5 }))).toEqual([400, invalid('name', 'room_id')])
  expect((await edit({ name: 'x', icon: 'no base64' })).body.error.code).toBe('invalid_icon_file_format')
  expect(told(await edit({ name: 'x', room_id: '1' }))).toEqual([404, roomNotFound])
  const list = await call(den.moderator, 'GET', `/houses/${den.id}/webhooks`)
  expect(list.body.data).toMatchObject([{ name: 'Hook', room_id: den.room_id }])
})

test('a webhook moves neither out of nor into a room that denies managing it', async () => {
  const den = await moderatedHouse(MANAGE_INTEGRATIONS)
  const other = await houseRoom(den)
  await override(other, den.moderator_role_id, { type: 0, deny: MANAGE_INTEGRATIONS })
  const [into, outOf] = [await webhook(den), await webhook(den, { room_id: other })]
  for (const [id, room_id] of [
    [into.id, other],
    [outOf.id, den.room_id],
  ]) {
    const answer = await call(den.moderator, 'PATCH', `/houses/${den.id}/webhooks/${id}`, { room_id })
    expect(told(answer)).toEqual([400, noPermission])
  }
})
