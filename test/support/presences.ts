import { expect } from 'vitest'
import { bus, db, type Person } from './world.ts'

/** Waits until these users are written as online, so that later events follow their presences. */
export async function untilNoted(...people: Person[]): Promise<void> {
  const ids = [...new Set(people.map(({ id }) => id))]
  const noted = db.selectFrom('presences').select('user_id').distinct().where('user_id', 'in', ids)
  await expect.poll(async () => (await noted.execute()).length).toBe(ids.length)
  await bus.catchUp()
}
