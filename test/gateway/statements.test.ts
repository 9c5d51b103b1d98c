import { expect, test } from 'vitest'
import { type Client, listen, logIn } from '../support/gateway.ts'
import { ownWorld } from '../support/own-world.ts'
import { untilNoted } from '../support/presences.ts'
import { statementsOf } from '../support/statements.ts'
import { bus, db, house, houseRoom, oneToOne, role, user } from '../support/world.ts'

await ownWorld()

const app = await listen()

test('a login takes as many statements with 30 houses and rooms as with one, of 23 kinds at most', async () => {
  const counts: number[] = []
  for (const size of [1, 30]) {
    const ann = await user()
    for (let number = 0; number < size; number++) {
      const den = await house({ owner: await user(), members: [ann] })
      await houseRoom(den)
      await role(den, { members: [ann] })
      await oneToOne(ann, await user())
    }
    const statements = await statementsOf(() => logIn(app, ann))
    await untilNoted(ann)
    counts.push(statements.length)
    expect(new Set(statements.map(({ text }) => text)).size).toBeLessThanOrEqual(23)
  }
  // Concurrent reads share a statement unless the machine is busy, so counts of the same work differ by a few.
  expect(counts[1]).toBeLessThan(counts[0]! + 29)
})

test('a permission change takes as many statements for ten receivers as for one', async () => {
  const counts: number[] = []
  for (const size of [1, 10]) {
    const members = await Promise.all(Array.from({ length: size }, () => user()))
    const den = await house({ owner: await user(), members })
    const clients: Client[] = []
    for (const member of members) clients.push(await logIn(app, member))
    // After the logins, and after their presences were sent.
    await expect.poll(() => app.gateway.registry.sessionsInHouse(den.id).length).toBe(size)
    await untilNoted(...members)
    await bus.publish(members.map(({ id }) => ({ type: 'settings_updated', user_id: id })))
    await db.updateTable('rooms').set({ default_deny: 2 }).where('house_id', '=', den.id).execute()
    const statements = await statementsOf(async () => {
      await bus.publish([
        { type: 'house_updated', house_id: den.id },
        { type: 'room_updated', room_id: den.room_id, house_id: den.id },
        { type: 'visibility_changed', house_id: den.id, user_ids: null },
        { type: 'entities_updated', house_id: den.id },
      ])
    })
    counts.push(statements.length)
    for (const client of clients) await client.next('ROOM_DELETE')
  }
  // A statement for each receiver would be nine more.
  expect(counts[1]).toBeLessThan(counts[0]! + 9)
})
