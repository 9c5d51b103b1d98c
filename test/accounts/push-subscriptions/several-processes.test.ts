import { afterAll, expect, test } from 'vitest'
import { newBus } from '../../support/bus.ts'
import { otherApp } from '../../support/other-app.ts'
import { startPushService, subscribeTo, testNetwork } from '../../support/push-service.ts'
import { db, oneToOne, user } from '../../support/world.ts'

const service = await startPushService()

/** A process with a bus of its own, which both end with the file. */
async function startPushing() {
  const { bus, presences, close } = await newBus()
  const parts = { bus, presences, pushNetwork: testNetwork() }
  const { app, call } = await otherApp({ vapidSubject: 'mailto:ops@hearth.test' }, parts)
  afterAll(async () => {
    await app.close()
    await close()
  })
  return { bus, call }
}

const [here, there] = [await startPushing(), await startPushing()]

test('of several processes one pushes a message, and one closes it', async () => {
  const [ann, bob] = [await user(), await user()]
  const browser = service.subscribe()
  await subscribeTo(there.call, bob, browser)
  const room = await oneToOne(ann, bob)
  for (const [index, { call }] of [here, there].entries()) {
    expect((await call(ann, 'POST', `/rooms/${room}/messages`, { content: 'hello' })).status).toBe(200)
    await browser.received(index + 1)
  }
  const { body } = await here.call(ann, 'POST', `/rooms/${room}/messages`, { content: 'the last' })
  expect((await browser.received(3)).map(({ count }) => count)).toEqual([1, 2, 3])
  const ack = `/rooms/${room}/messages/${body.data.id}/ack`
  expect((await there.call(bob, 'POST', ack)).status).toBe(200)
  await browser.received(4)
  // Both have read of all that by now.
  await Promise.all([here, there].map(({ bus }) => bus.catchUp()))
  const again = await there.call(ann, 'POST', `/rooms/${room}/messages`, { content: 'again' })
  const types = (await browser.received(5)).map(({ type, count }) => [type, count])
  expect(types.slice(3)).toEqual([
    ['close', undefined],
    ['message', 1],
  ])
  // What was pushed last is deleted: every process reads of it.
  await here.call(ann, 'DELETE', `/rooms/${room}/messages/${again.body.data.id}`)
  expect((await browser.received(6))[5].type).toBe('close')
  await Promise.all([here, there].map(({ bus }) => bus.catchUp()))
  expect(await db.selectFrom('pushed_rooms').select('count').where('user_id', '=', bob.id).execute()).toEqual(
    [],
  )
  await here.call(ann, 'POST', `/rooms/${room}/messages`, { content: 'after all' })
  expect((await browser.received(7))[6]).toMatchObject({ text: 'after all', count: 1 })
})
