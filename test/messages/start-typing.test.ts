import { expect, test } from 'vitest'
import { noPermission, roomNotFound } from '../support/permissions.ts'
import { block, call, house, houseRoom, oneToOne, published, user } from '../support/world.ts'

test('typing returns room and time and sends an event, with any body', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  for (const [room_id, house_id] of [
    [den.room_id, den.id],
    [await oneToOne(ann, bob), null],
  ] as const) {
    const before = published.length
    const sentMs = Date.now()
    const answer = await call(bob, 'POST', `/rooms/${room_id}/typing`)
    expect(answer.status).toBe(200)
    const { timestamp } = answer.body.data
    expect(answer.body.data).toEqual({ room_id, timestamp })
    expect(timestamp).toBeGreaterThanOrEqual(sentMs)
    expect(timestamp).toBeLessThanOrEqual(Date.now())
    expect(published.slice(before)).toEqual([
      { type: 'typing_started', room_id, house_id, author_id: bob.id, timestamp },
    ])
    const headers = { 'content-type': 'application/json' }
    for (const payload of ['', 'null', '{}']) {
      const options = { headers, payload }
      expect((await call(bob, 'POST', `/rooms/${room_id}/typing`, undefined, options)).status).toBe(200)
    }
  }
})

test('typing without permission to send answers no_permission', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const quiet = await houseRoom(den, { default_deny: 1 })
  const pair = await oneToOne(ann, bob)
  await block(ann, bob)
  for (const id of [quiet, pair]) {
    const answer = await call(bob, 'POST', `/rooms/${id}/typing`)
    expect([answer.status, answer.body]).toEqual([400, noPermission])
  }
})

test('an unknown or unreadable room answers room_not_found', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  for (const id of ['1', 'x', await houseRoom(den, { default_deny: 2 })]) {
    const answer = await call(bob, 'POST', `/rooms/${id}/typing`)
    expect([answer.status, answer.body]).toEqual([404, roomNotFound])
  }
})
