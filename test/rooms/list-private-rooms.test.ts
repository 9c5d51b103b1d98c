import { expect, test } from 'vitest'
import { refusesStrangers } from '../support/messages.ts'
import { gatewayUser } from '../support/rooms.ts'
import { call, group, house, message, oneToOne, user } from '../support/world.ts'

test('own private rooms come latest activity first, without foreign and house rooms', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  await house({ owner: ann, members: [ben] })
  await oneToOne(ben, cat)
  const withBen = await oneToOne(ann, ben)
  const picnic = await group(cat, ann, ben)
  const quiet = await group(ann)
  const idsOf = async () => {
    const answer = await call(ann, 'GET', '/users/@me/rooms')
    expect(answer.status).toBe(200)
    return answer.body.data.map((room: { id: string }) => room.id)
  }
  expect(await idsOf()).toEqual([quiet, picnic, withBen])
  await message(withBen, ben)
  expect(await idsOf()).toEqual([withBen, quiet, picnic])
})

test('each room is the full form, made for the caller', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const withBen = await oneToOne(ann, ben)
  const alone = await group(ann)
  const picnic = await group(cat, ann, ben)
  const answer = await call(ann, 'GET', '/users/@me/rooms')
  const nothing = {
    house_id: null,
    name: null,
    position: null,
    emoji: null,
    description: null,
    last_message_id: null,
    permission_overrides: null,
    default_permission_override: null,
  }
  expect(answer.body.data).toEqual([
    { ...nothing, id: picnic, type: 2, recipients: [gatewayUser(cat), gatewayUser(ben)], owner_id: cat.id },
    { ...nothing, id: alone, type: 2, recipients: [gatewayUser(ann)], owner_id: ann.id },
    { ...nothing, id: withBen, type: 1, recipients: [gatewayUser(ben)], owner_id: null },
  ])
})

test('somebody without private rooms gets an empty list', async () => {
  const answer = await call(await user(), 'GET', '/users/@me/rooms')
  expect(answer.body).toEqual({ success: true, data: [] })
})

test('listing private rooms without a token, or with a faulty one, answers no_auth', async () => {
  await refusesStrangers('GET', '/users/@me/rooms')
})
