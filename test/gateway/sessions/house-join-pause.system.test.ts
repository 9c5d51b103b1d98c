import type { KyselyPlugin } from 'kysely'
import { expect, test, vi } from 'vitest'
import type { HearthEvent } from '../../../src/events/events.ts'
import { Client } from '../../support/gateway.ts'
import { otherApp } from '../../support/other-app.ts'
import { bus, db, house, user } from '../../support/world.ts'

test('pauses before HOUSE_JOIN of a first house that is joined during the login', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ben })
  const join: HearthEvent = { type: 'member_joined', house_id: den.id, user_id: ann.id }
  let isJoining = false
  let reading = 0
  const joining: KyselyPlugin = {
    transformQuery: ({ node }) => {
      reading += 1
      return node
    },
    transformResult: async ({ result }) => {
      reading -= 1
      // The memberships are read at the same time as the settings.
      if (!isJoining && result.rows.some((row) => 'theme' in row)) {
        isJoining = true
        await vi.waitUntil(() => reading === 0, { timeout: 60_000, interval: 1 })
        await db.insertInto('members').values({ house_id: den.id, user_id: ann.id }).execute()
        void bus.publish([join])
      }
      return result
    },
  }
  // Longer than the house takes to read.
  const houseJoinDelayMs = 1_000
  const other = await otherApp({}, { db: db.withPlugin(joining), gateway: { houseJoinDelayMs } })
  await other.app.listen({ host: '127.0.0.1', port: 0 })
  const client = new Client(other.app)
  const receivedMs: number[] = []
  client.socket.on('message', () => receivedMs.push(performance.now()))
  client.send({ op: 2, d: { token: ann.token } })
  await client.next('HOUSE_JOIN')
  expect(client.events.map(({ e }) => e)).toEqual(['INIT_STATE', 'HOUSE_JOIN'])
  expect(client.events[0]!.d.house_ids).toEqual([])
  expect(receivedMs[2]! - receivedMs[1]!).toBeGreaterThanOrEqual(houseJoinDelayMs / 2)
})
