import { expect, test } from 'vitest'
import { otherApp } from '../support/other-app.ts'
import { noPermission, roomNotFound } from '../support/permissions.ts'
import { publishedAbout } from '../support/published.ts'
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

test('of many signals 20 at once are sent, then five a second', async () => {
  let time = 0
  const limited = await otherApp({ rateLimit: true }, { now: () => time })
  const ann = await user()
  const den = await house({ owner: ann })
  const sentOf = async (count: number) => {
    const before = publishedAbout(ann.id).length
    for (let one = 0; one < count; one += 1)
      expect((await limited.call(ann, 'POST', `/rooms/${den.room_id}/typing`)).status).toBe(200)
    return publishedAbout(ann.id).length - before
  }
  expect(await sentOf(25)).toBe(20)
  time += 1_000
  expect(await sentOf(10)).toBe(5)
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
