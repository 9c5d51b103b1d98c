import { expect, test } from 'vitest'
import { crowd, join } from '../../support/crowds.ts'
import { type Client, listen, logIn } from '../../support/gateway.ts'
import { expectSilence } from '../../support/gateway-scene.ts'
import { untilNoted } from '../../support/presences.ts'
import { statementsOf } from '../../support/statements.ts'
import { house, user } from '../../support/world.ts'

/** Long enough for no byte to be given back during a test. */
const minuteMs = 60_000

test('op 6 looks up 100 ids at a time', async () => {
  const app = await listen()
  const ann = await user()
  const den = await house({ owner: ann })
  const others = await crowd(250)
  await join(den, others)
  const client = await logIn(app, ann)
  const received = () => client.events.filter((frame) => frame.e === 'PRESENCE_UPDATE').map(({ d }) => d.id)
  const statements = await statementsOf(async () => {
    client.send({ op: 6, d: { user_ids: others } })
    await client.until(() => received().length >= others.length, 'all presences')
  })
  expect(received().sort()).toEqual(others.toSorted())
  const lookups = statements.filter(({ text }) => text.includes('as wanted (user_id, viewer_id)'))
  expect(lookups.map(({ values }) => (values[0] as string[]).length)).toEqual([100, 100, 50])
})

test.each([6, 7])('answers op %i later when its user was sent too many bytes', async (op) => {
  const app = await listen({ answeredBytes: { burst: 1_000, refillMs: minuteMs } })
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const [first, second] = [await logIn(app, ann), await logIn(app, ann)]
  const onBen = await logIn(app, ben)
  await untilNoted(ann, ben)
  await second.next('HOUSE_MEMBER_ENTER')
  const name = op === 6 ? 'PRESENCE_UPDATE' : 'HOUSE_MEMBERS_CHUNK'
  const request = { op, d: { house_id: den.id, user_ids: [ann.id, ben.id] } }
  for (let count = 0; app.gateway.context.answeredBytes.waitMs(ann.id) === 0; count += 1) {
    first.send(request)
    await first.next(name)
    expect(count).toBeLessThan(10)
  }
  second.takeAll()
  second.send(request)
  onBen.send(request)
  await onBen.next(name)
  await expectSilence(second, ann)
})

test('ignores op 6 when the sessions of an account would subscribe to too many', async () => {
  const app = await listen({ maxWatchedOfPerson: 3 })
  const [ann, ben, cat] = [await user(), await user(), await user()]
  await house({ owner: ann, members: [ben, cat] })
  /** Returns how many sessions then subscribe to the first of these people. */
  const watch = (client: Client, ...people: { id: string }[]) => {
    client.send({ op: 6, d: { user_ids: people.map(({ id }) => id) } })
    return () => app.gateway.registry.sessionsWatching(people[0]!.id).length
  }
  const [first, second] = [await logIn(app, ann), await logIn(app, ann)]
  const onBen = await logIn(app, ben)
  await expect.poll(watch(first, ben, cat)).toBe(1)
  watch(second, ben, cat)
  await expect.poll(watch(onBen, cat, ann)).toBe(2)
  expect(app.gateway.refusals.counts.get('watched')).toBe(1)
  expect(app.gateway.registry.sessionsWatching(ben.id)).toHaveLength(1)
  watch(first, ben)
  await expect.poll(() => app.gateway.registry.sessionsWatching(cat.id).length).toBe(1)
  await expect.poll(watch(second, ben, cat)).toBe(2)
  await first.cut()
  await second.cut()
  await expect.poll(() => app.gateway.registry.sessionsWatching(ben.id).length).toBe(0)
  await expect.poll(watch(await logIn(app, ann), ben, cat, ann)).toBe(1)
})
