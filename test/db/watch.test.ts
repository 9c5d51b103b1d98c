import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DatabaseAway } from '../../src/db/away.ts'
import { findBackendActivity } from '../../src/db/backend-activity.ts'
import type { PreparingClient } from '../../src/db/preparing-client.ts'
import { watch } from '../../src/db/watch.ts'
import { databaseUrl, db } from '../support/world.ts'

/** Watches a connection that lies idle, to a database that is not there. */
function watchIdle() {
  const watching = watch('postgres://nobody@127.0.0.1:1/nothing')
  onTestFinished(() => watching.stop())
  const client = { isBusy: false, sent: 1, pid: 1, cut: vi.fn() }
  watching.add(client as unknown as PreparingClient)
  return { watching, client }
}

test('idle connections are cut off once the database counts as away, so that nobody is given a dead one', () => {
  const { watching, client } = watchIdle()
  watching.declareAway()
  expect(client.cut).toHaveBeenCalledExactlyOnceWith(expect.any(DatabaseAway))
})

test('a connection that breaks shows that the database is away, although nobody waits for it', async () => {
  const { watching, client } = watchIdle()
  watching.suspect(new Error('read ECONNRESET'))
  await vi.waitUntil(() => watching.isAway(), { timeout: 10_000 })
  expect(client.cut).toHaveBeenCalledOnce()
})

test('asking PostgreSQL what it works on leaves no connection open', async () => {
  const watchers = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and application_name = 'hearth watch'`.execute(db)
    return rows.length
  }
  expect(await findBackendActivity(databaseUrl, [])).toEqual({ working: new Set(), committing: new Set() })
  await expect.poll(watchers).toBe(0)
})
