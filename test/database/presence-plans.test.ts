import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { listVisiblePairs } from '../../src/friendships/contact-queries.ts'
import { crowd } from '../support/crowds.ts'
import { ownWorld } from '../support/own-world.ts'
import { explain, statementsOf } from '../support/statements.ts'
import { databaseUrl, db, house, type Person, user } from '../support/world.ts'

await ownWorld()

const people = 1_000

let ann: Person
let others: string[]

/** Sets the statistics of empty tables, as a house that has just filled has them before the first `analyze`. */
beforeAll(async () => {
  ann = await user()
  await sql`analyze`.execute(db)
  const den = await house({ owner: ann })
  others = await crowd(people)
  const rows = others.map((user_id) => ({ house_id: den.id, user_id }))
  await db.insertInto('members').values(rows).execute()
})

test.each(['many users and one viewer', 'one user and many viewers'])(
  'looks up who sees whom pair by pair, however old the statistics are: %s',
  async (which) => {
    const pairs = others.map((id) =>
      which.startsWith('many') ? { user_id: id, viewer_id: ann.id } : { user_id: ann.id, viewer_id: id },
    )
    let found = 0
    const statements = await statementsOf(async () => {
      found = (await listVisiblePairs(db, pairs)).length
    })
    expect([found, statements.length]).toEqual([people, 1])
    const steps = await explain(databaseUrl, statements[0]!)
    const rows = steps.map((step) => step['Actual Rows'] * step['Actual Loops'])
    expect(Math.max(...rows)).toBeLessThanOrEqual(2 * people)
  },
)
