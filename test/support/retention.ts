import pg from 'pg'
import { vi } from 'vitest'
import { unknownId } from '../../src/ids.ts'
import { deleteOutdated } from '../../src/messages/removal/retention-operations.ts'
import { listRows } from './messages.ts'
import { app, db } from './world.ts'

/** Sweeps through all rooms once. Returns how many messages each step has deleted. */
export async function sweep(maxAgeMs?: number): Promise<number[]> {
  const counts = []
  let after: string | null = unknownId
  while (after !== null) {
    const { answer }: Awaited<ReturnType<typeof deleteOutdated>> = await deleteOutdated(db, maxAgeMs, after)
    counts.push(answer.count)
    after = answer.next
  }
  return counts
}

export const idsOf = async (roomId: string) => (await listRows(roomId)).map(({ id }) => id)

/** Starts the app and waits for its first round, which finds no house with an age: the next one is minutes later. */
export async function waitForFirstRound(): Promise<void> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  await app.ready()
  const find = () =>
    spy.mock.calls.findIndex(([config]) =>
      /house_retention/.test((config as unknown as { text: string }).text),
    )
  await vi.waitUntil(() => find() >= 0, 20_000)
  await spy.mock.results[find()]!.value
  spy.mockRestore()
}
