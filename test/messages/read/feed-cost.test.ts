import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../../src/ids.ts'
import { listIds } from '../../support/messages.ts'
import { ownWorld } from '../../support/own-world.ts'
import { explain, statementsOf } from '../../support/statements.ts'
import { call, type Den, databaseUrl, db, house, type Person, user } from '../../support/world.ts'

await ownWorld()

const idsFor = (caller: Person, query = '') => listIds(caller, `/streams/@me/feed${query}`)

/** Adds readable rooms with a message each to a house. Returns the message ids, oldest first. */
async function manyRooms(den: Den, author: Person, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => ({ room: newId(), message: newId() }))
  const rooms = ids.map(({ room }, n) => ({
    id: room,
    house_id: den.id,
    type: 0,
    name: 'room',
    position: n + 1,
  }))
  await db.insertInto('rooms').values(rooms).execute()
  const messages = ids.map(({ room, message }) => {
    return {
      room_id: room,
      house_id: den.id,
      id: message,
      author_id: author.id,
      device_id: '1',
      content: 'x',
    }
  })
  await db.insertInto('messages').values(messages).execute()
  return ids.map((each) => each.message)
}

test('a page reads a bounded number of rooms, however many there are', async () => {
  const [ann, bob] = [await user(), await user()]
  const dens = [await house({ owner: ann, members: [bob] }), await house({ owner: ann, members: [bob] })]
  const ids: string[] = []
  for (const den of dens) ids.push(...(await manyRooms(den, ann, 1_000)))
  await sql`analyze`.execute(db)
  const pages = ['', `&before=${ids[1_500]}`, `&after=${ids[300]}`, `&around=${ids[700]}`]
  for (const page of pages) {
    const statements = await statementsOf(() => call(bob, 'GET', `/streams/@me/feed?limit=10${page}`))
    for (const statement of statements) {
      for (const step of await explain(databaseUrl, statement)) {
        const touched = step['Actual Loops'] * Math.max(1, step['Actual Rows'])
        expect(touched, `${page}: ${step['Node Type']} in ${statement.text}`).toBeLessThanOrEqual(110)
      }
    }
  }
  expect(await idsFor(bob, '?limit=100')).toEqual(ids.slice(-100).reverse())
  expect(await idsFor(bob, `?limit=10&after=${ids[300]}`)).toEqual(ids.slice(301, 311).reverse())
})
