import { expect, onTestFinished } from 'vitest'
import { newBus } from './bus.ts'
import type { Client } from './gateway.ts'
import { startProcess } from './processes.ts'
import { bus, db, type Person } from './world.ts'

/** Gateway settings with which users go offline soon after their last connection. */
export const offlineSoon = { offlineAfterMs: 20 }

/** Waits until these users are written as online, so that later events follow their presences. */
export async function untilNoted(...people: Person[]): Promise<void> {
  const ids = [...new Set(people.map(({ id }) => id))]
  const noted = db.selectFrom('presences').select('user_id').distinct().where('user_id', 'in', ids)
  await expect.poll(async () => (await noted.execute()).length, { interval: 5 }).toBe(ids.length)
  await bus.catchUp()
}

/** A process that can be killed: its node number is free at once, and it sends nothing more. */
export async function mortalProcess() {
  const { bus, node, presences, close } = await newBus()
  onTestFinished(close)
  const app = await startProcess({ bus, presences, close: async () => {} }, offlineSoon)
  const kill = async () => {
    await presences.stop()
    await node.release()
  }
  return { app, node, kill }
}

/** The presences of a user that a client has received. */
export function presencesReceived(client: Client, { id }: Person): string[] {
  return client.events.filter(({ e, d }) => e === 'PRESENCE_UPDATE' && d.id === id).map(({ d }) => d.presence)
}

/** The rows that show a user online. */
export function presenceRows({ id }: Person) {
  return db.selectFrom('presences').select('node').where('user_id', '=', id).execute()
}
