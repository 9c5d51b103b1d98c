import { expect, test } from 'vitest'
import { listen, logIn, resume } from '../../support/gateway.ts'
import { bus, friends, user } from '../../support/world.ts'

test('a user who reconnects within the grace period stays online', async () => {
  const app = await listen({ offlineAfterMs: 5_000 })
  const [ann, ben, cat] = [await user(), await user(), await user()]
  await friends(ann, ben)
  await friends(cat, ben)
  const onBen = await logIn(app, ben)
  const onAnn = await logIn(app, ann)
  await onBen.next('PRESENCE_UPDATE')
  // A login is over, and can be resumed, when an event follows it.
  await bus.publish([{ type: 'user_updated', user_id: ann.id, only_self: true }])
  const { seq } = await onAnn.next('USER_UPDATE')
  const { session_id } = onAnn.events[0]!.d
  await onAnn.cut()
  const again = resume(app, ann, session_id, seq!)
  await again.next('RESUMED')
  const onCat = await logIn(app, cat)
  await onBen.next('PRESENCE_UPDATE')
  await onCat.close()
  expect((await onBen.next('PRESENCE_UPDATE')).d).toMatchObject({ id: cat.id, presence: 'offline' })
  const ofAnn = onBen.events.filter((frame) => frame.e === 'PRESENCE_UPDATE' && frame.d.id === ann.id)
  expect(ofAnn.length).toBe(1)
})
