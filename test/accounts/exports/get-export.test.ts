import { expect, test } from 'vitest'
import { resident } from '../../support/accounts.ts'
import { exportPath, noExport, waitingExport } from '../../support/exports.ts'
import { noPermission, told } from '../../support/permissions.ts'
import { call, db, user } from '../../support/world.ts'

test('the state of an export is that of one’s own, with its progress', async () => {
  const [ann, bob] = [await resident(), await resident()]
  const leased_until = new Date(Date.now() + 86_400_000)
  const making = { user_id: ann.id, key: 'd'.repeat(64), progress: 42, leased_until }
  await db.insertInto('exports').values(making).execute()
  expect((await call(ann, 'GET', exportPath)).body.data).toEqual({ ...waitingExport, progress: 42 })
  expect((await call(bob, 'GET', exportPath)).body.data).toEqual(noExport)
})

test('a bot has no export', async () => {
  const bot = await user({ bot_of: await user() })
  expect(told(await call(bot, 'GET', exportPath))).toEqual([400, noPermission])
})
