import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { startExporting } from '../../../src/accounts/exports/making-operations.ts'
import type { Store } from '../../../src/storage/store.ts'
import { resident } from '../../support/accounts.ts'
import { exportPath, ready, waitingExport } from '../../support/exports.ts'
import { call, db, store } from '../../support/world.ts'

/** An exporter of another process, which adds the files that it writes to `written`. */
function openExporter(written: string[]) {
  const noting: Store = {
    ...store,
    write(name, content) {
      written.push(name)
      return store.write(name, content)
    },
  }
  const exporter = startExporting(db, noting, (error) => written.push(String(error)))
  onTestFinished(() => exporter.stop())
  return exporter
}

test('of several processes one makes an export', async () => {
  const people = [await resident(), await resident()]
  const keys = ['a', 'b'].map((letter) => letter.repeat(64))
  for (const [n, { id }] of people.entries()) {
    await db.insertInto('exports').values({ user_id: id, key: keys[n]! }).execute()
  }
  const written: string[] = []
  for (let n = 0; n < 4; n += 1) openExporter(written)
  for (const person of people) await ready(person)
  expect(written.sort()).toEqual(people.map(({ id }, n) => `exports/${id}/${keys[n]}.zip`).sort())
})

test('the export of a killed process is made by another one once its lease has ended', async () => {
  const [ann, bob] = [await resident(), await resident()]
  const minutesFromNow = (minutes: number) => sql<Date>`now() + ${sql.lit(minutes)} * interval '1 minute'`
  const of = (user_id: string, letter: string) => ({ user_id, key: letter.repeat(64), attempts: 1 })
  await db
    .insertInto('exports')
    .values([
      { ...of(ann.id, 'c'), leased_until: minutesFromNow(-1) },
      // Without its lease it would be the first.
      { ...of(bob.id, 'd'), leased_until: minutesFromNow(1), requested_at: minutesFromNow(-1) },
    ])
    .execute()
  const written: string[] = []
  const exporter = openExporter(written)
  await ready(ann)
  expect((await call(bob, 'GET', exportPath)).body.data).toEqual(waitingExport)
  await db
    .updateTable('exports')
    .set({ leased_until: minutesFromNow(-1) })
    .where('user_id', '=', bob.id)
    .execute()
  exporter.wake()
  await ready(bob)
  expect(written).toHaveLength(2)
})
