import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startExporting } from '../../../src/accounts/exports/making-operations.ts'
import { resident } from '../../support/accounts.ts'
import { exportPath, ready, waitingExport } from '../../support/exports.ts'
import { call, db, store } from '../../support/world.ts'

/** The exporter of another process. */
function openExporter(failures: unknown[]) {
  const exporter = startExporting(db, store, (error) => failures.push(error))
  onTestFinished(() => exporter.stop())
  return exporter
}

/** Notes the exports of these people that any process writes to the store. */
function watchExports(people: { id: string }[]) {
  const write = vi.spyOn(store, 'write')
  onTestFinished(() => write.mockRestore())
  return () =>
    write.mock.calls.map(([name]) => name).filter((name) => people.some(({ id }) => name.includes(id)))
}

test('of several processes one makes an export', async () => {
  const people = [await resident(), await resident()]
  const keys = ['a', 'b'].map((letter) => letter.repeat(64))
  for (const [n, { id }] of people.entries()) {
    await db.insertInto('exports').values({ user_id: id, key: keys[n]! }).execute()
  }
  const [written, failures] = [watchExports(people), [] as unknown[]]
  for (let n = 0; n < 4; n += 1) openExporter(failures)
  for (const person of people) await ready(person)
  expect(written().sort()).toEqual(people.map(({ id }, n) => `exports/${id}/${keys[n]}.zip`).sort())
  expect(failures).toEqual([])
})

test('the export of a killed process is made by another one once its lease has ended', async () => {
  const [ann, bob] = [await resident(), await resident()]
  const hoursFromNow = (hours: number) => sql<Date>`now() + ${sql.lit(hours)} * interval '1 hour'`
  const of = (user_id: string, letter: string) => ({ user_id, key: letter.repeat(64), attempts: 1 })
  await db
    .insertInto('exports')
    .values([
      { ...of(ann.id, 'c'), leased_until: hoursFromNow(-1) },
      // Without its lease it would be the first.
      { ...of(bob.id, 'd'), leased_until: hoursFromNow(1), requested_at: hoursFromNow(-1) },
    ])
    .execute()
  const [written, failures] = [watchExports([ann, bob]), [] as unknown[]]
  const exporter = openExporter(failures)
  await ready(ann)
  expect((await call(bob, 'GET', exportPath)).body.data).toEqual(waitingExport)
  await db
    .updateTable('exports')
    .set({ leased_until: hoursFromNow(-1) })
    .where('user_id', '=', bob.id)
    .execute()
  exporter.wake()
  await ready(bob)
  expect(written()).toHaveLength(2)
  expect(failures).toEqual([])
})
