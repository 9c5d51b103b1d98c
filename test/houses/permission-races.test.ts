import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { allPermissions } from '../../src/houses/permissions.ts'
import { call, db, failure, house, houseRoom, role, user } from '../support/world.ts'

const noPermission = failure('no_permission', 'You do not have permission to do this')

/** Settles when this many statements wait for a lock in the test's database. */
async function untilWaiting(count: number): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    if (rows[0]!.waiting >= count) return
  }
}

test('whoever loses a permission while a change waits for its turn is refused the change', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const high = await role(den, { allow: allPermissions & ~4, position: 9, members: [ben] })
  const low = await role(den, { position: 1 })
  const roomId = await houseRoom(den)
  const [rooms, houses] = [`/rooms/${roomId}`, `/houses/${den.id}`]
  const requests = [
    ['POST', `${houses}/roles`, { name: 'new' }],
    ['PATCH', `${houses}/roles/${low}`, { name: 'other' }],
    ['PUT', `${houses}/members/${ben.id}/roles/${low}`, undefined],
    ['POST', `${houses}/entities`, { name: 'new' }],
    ['POST', `${houses}/rooms`, { name: 'new' }],
    ['PATCH', rooms, { name: 'other' }],
    ['DELETE', rooms, undefined],
    ['PUT', `${rooms}/overrides/${low}`, { type: 0, allow: 0, deny: 1 }],
  ] as const
  const answers = await db.transaction().execute(async (trx) => {
    await sql`select from houses where id = ${den.id} for no key update`.execute(trx)
    await trx.deleteFrom('member_roles').where('role_id', '=', high).execute()
    const waiting = requests.map(([method, url, body]) => call(ben, method, url, body))
    await untilWaiting(requests.length)
    return waiting
  })
  for (const answer of await Promise.all(answers)) expect(answer.body).toEqual(noPermission)
})
