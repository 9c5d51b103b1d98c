import { expect, test } from 'vitest'
import { listen, logIn } from '../support/gateway.ts'
import { ownWorld } from '../support/own-world.ts'
import { admin, callOn, db, house, message, user } from '../support/world.ts'

await ownWorld()

const ruler = await admin()

test('the overview counts people, houses, messages, files and sockets', async () => {
  const ann = await user()
  await user({ bot_of: ann })
  const den = await house({ owner: ann })
  const id = await message(den.room_id, ann)
  const attachment = JSON.stringify({ size: 1234 })
  await db.updateTable('messages').set({ attachment }).where('id', '=', id).execute()
  const app = await listen()
  await logIn(app, ann)
  const { body } = await callOn(app)(ruler, 'GET', '/admin/overview')
  const { version, database_bytes, processes, ...counts } = body.data
  expect(counts).toEqual({ users: 2, houses: 1, messages: 1, storage_bytes: 1234, sockets: 1 })
  expect(version).toMatch(/^\d+\.\d+\.\d+/)
  expect(database_bytes).toBeGreaterThan(1_000_000)
  expect(processes).toEqual([
    { started_at: expect.any(String), memory_bytes: expect.any(Number), sockets: 1 },
  ])
})
