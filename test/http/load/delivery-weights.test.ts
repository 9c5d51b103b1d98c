import { expect, test, vi } from 'vitest'
import { DeliveryWeights, maxEventWeight, minEventWeight } from '../../../src/http/load/delivery-weights.ts'
import { fillHouse } from '../../support/crowds.ts'
import { listen, logIn, untilReady } from '../../support/gateway.ts'
import { callOn, house, role, user } from '../../support/world.ts'

/** Long enough for no byte to be given back during a test. */
const minuteMs = 60_000

test('a change counts its events and what they weigh, within bounds, and is paid by the second', () => {
  let now = 0
  const weights = new DeliveryWeights({ burst: 100_000, refillMs: 1 }, () => now)
  const [small, big, huge, unpaid] = [{}, {}, {}, {}]
  const paidAfter = (bytes: number) => bytes - 100_000 + 1
  weights.charge('ann', [small, big])
  weights.delivered(small, minEventWeight - 1)
  weights.delivered(big, 90_000)
  weights.delivered(unpaid, 1_000_000)
  expect(weights.waitMs('ann')).toBe(paidAfter(minEventWeight + 90_000))
  expect(weights.waitMs('ben')).toBe(0)
  now = paidAfter(minEventWeight + 90_000)
  expect(weights.waitMs('ann')).toBe(0)
  weights.charge('ann', [huge])
  weights.delivered(huge, 10 * maxEventWeight)
  expect(weights.waitMs('ann')).toBe(maxEventWeight)
})

test('refuses changes whose author has had too much delivered, and nothing else', async () => {
  const deliveredBytes = { burst: 3 * minEventWeight, refillMs: minuteMs }
  const app = await listen({ deliveredBytes }, { rateLimit: true })
  const call = callOn(app)
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const baker = await role(den)
  await logIn(app, ann)
  const rename = (name: string) => call(ann, 'PATCH', `/houses/${den.id}`, { name })
  for (const name of ['one', 'two', 'three']) expect((await rename(name)).status).toBe(200)
  const refused = await rename('four')
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limit'])
  expect(refused.body.expires_at).toBeGreaterThan(0)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await call(ann, 'GET', `/houses/${den.id}`)).body.data.name).toBe('three')
  for (const [method, path] of [
    ['PATCH', '/users/@me'],
    ['PATCH', `/houses/${den.id}/roles/${baker}`],
    ['PATCH', `/rooms/${den.room_id}`],
    ['POST', `/houses/${den.id}/rooms`],
    ['PUT', `/rooms/${den.room_id}/recipients/${ben.id}`],
    ['DELETE', `/rooms/${den.room_id}/recipients/${ben.id}`],
    ['POST', '/relationships/@me/friend-requests'],
    ['DELETE', `/relationships/@me/friend-requests/${ben.id}`],
    ['DELETE', `/relationships/@me/friends/${ben.id}`],
    ['PUT', `/relationships/@me/blocked/${ben.id}`],
    ['DELETE', `/relationships/@me/restricted/${ben.id}`],
    ['PATCH', '/users/@me/settings'],
    ['PUT', `/users/@me/settings/room_overrides/${den.room_id}`],
  ] as const)
    expect((await call(ann, method, path, { name: 'x' })).status, `${method} ${path}`).toBe(429)
  expect((await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'x' })).status).toBe(200)
  expect((await call(ben, 'PATCH', '/users/@me', { name: 'x' })).status).toBe(200)
  expect(app.gateway.weights.refused).toBe(14)
  const free = callOn(await listen({ deliveredBytes }, { rateLimit: false }))
  for (let count = 0; count < 5; count += 1)
    expect((await free(ann, 'PATCH', `/houses/${den.id}`, { name: `x${count}` })).status).toBe(200)
})

test('an event weighs what its receivers are sent, and what is read of a house for it', async () => {
  const app = await listen({}, { rateLimit: true })
  const call = callOn(app)
  const delivered = vi.spyOn(app.gateway.weights, 'delivered')
  const ann = await user()
  const den = await house({ owner: ann })
  await fillHouse(den)
  const clients = [await logIn(app, ann), await logIn(app, ann), await logIn(app, ann)]
  // What happens during a login is sent after it, and weighs nothing.
  await untilReady(app, ...clients)
  const [rows, rooms] = [500 + 250 + 100, 500]
  for (const [path, type, name, examined] of [
    [`/houses/${den.id}`, 'house_updated', 'HOUSE_UPDATE', clients.length * rooms],
    [`/rooms/${den.room_id}`, 'room_updated', 'ROOM_UPDATE', clients.length],
  ] as const) {
    expect((await call(ann, 'PATCH', path, { name: 'new' })).status).toBe(200)
    const sent: string[] = []
    for (const client of clients) sent.push(JSON.stringify((await client.next(name)).d))
    const weight = sent.join('').length + 512 * rows + 8 * examined
    await expect.poll(() => delivered.mock.calls).toContainEqual([expect.objectContaining({ type }), weight])
  }
})
