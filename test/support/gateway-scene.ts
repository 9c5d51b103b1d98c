import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import type { HearthEvent } from '../../src/events/events.ts'
import { type Client, expectExact, type Frame, logIn } from './gateway.ts'
import { untilNoted } from './presences.ts'
import { bus, call, house, type Person, user } from './world.ts'

export async function publish(...events: HearthEvent[]): Promise<void> {
  await bus.publish(events)
}

/** The `d` of the next event of this name, which must have exactly its keys. */
export async function nextExact(client: Client, name: string): Promise<Frame['d']> {
  const frame = await client.next(name)
  expectExact(frame)
  return frame.d
}

/** Expects that nothing was sent since: the USER_UPDATE follows whatever was being sent. */
export async function expectSilence(client: Client, person: Person): Promise<void> {
  await publish({ type: 'user_updated', user_id: person.id, only_self: true })
  await client.next('USER_UPDATE')
  expect(client.passed).toEqual([])
}

/** Owner ann, member ben and stranger cat, all connected. */
export async function scene(app: FastifyInstance) {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const clients = [await logIn(app, ann), await logIn(app, ben), await logIn(app, cat)] as const
  await untilNoted(ann, ben, cat)
  await clients[0].next('HOUSE_MEMBER_ENTER')
  for (const client of clients) client.takeAll()
  return { ann, ben, cat, den, onAnn: clients[0], onBen: clients[1], onCat: clients[2] }
}

/** Ben, connected in a house, the session that he may resume, and how its owner Ann sends messages there. */
export async function resumable(app: FastifyInstance) {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const client = await logIn(app, ben)
  const send = async (count: number) => {
    for (let number = 0; number < count; number++) {
      await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: `m${number}` })
    }
  }
  return { ann, ben, den, client, session_id: client.events[0]!.d.session_id as string, send }
}
