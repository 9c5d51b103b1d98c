import { EventEmitter } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { awayCheck, openDatabase } from '../../src/db/client.ts'
import type { PreparingClient } from '../../src/db/preparing-client.ts'
import { keepPulse } from '../../src/db/pulse.ts'
import { watch } from '../../src/db/watch.ts'
import { someTurns, standStill } from '../support/standstill.ts'
import { databaseUrl } from '../support/world.ts'

test('a process that stands still while it connects does not take the database for away', async () => {
  const late = openDatabase(databaseUrl)
  try {
    const waiting = sql<{ one: number }>`select 1 as one`.execute(late)
    await turn()
    standStill(2_100)
    expect((await waiting).rows).toEqual([{ one: 1 }])
    expect(awayCheck(late)()).toBe(false)
  } finally {
    await late.destroy()
  }
})

test('who waits for one of the connections is not refused for a standstill', async () => {
  const late = openDatabase(databaseUrl)
  try {
    const statements = Array.from({ length: 40 }, () => sql`select pg_sleep(0.02)`.execute(late))
    await turn()
    standStill(2_100)
    await Promise.all(statements)
    expect(awayCheck(late)()).toBe(false)
  } finally {
    await late.destroy()
  }
})

test('a connection whose answer has come is not cut off because it was read late', async () => {
  const answers: (() => void)[] = []
  const query = () => new Promise<void>((resolve) => answers.push(resolve))
  const destroy = vi.fn()
  let end = () => {}
  const once = (_name: string, listener: () => void) => {
    end = listener
  }
  keepPulse({ query, once, connection: { stream: { destroy } } } as unknown as pg.Client, 200)
  await expect.poll(() => answers.length, { interval: 5 }).toBeGreaterThan(0)
  await turn()
  // Between the timers, which are all due, and the immediates the answer is read.
  setImmediate(() => answers[0]!())
  standStill(300)
  await expect.poll(() => answers.length, { interval: 5 }).toBeGreaterThan(1)
  expect(destroy).not.toHaveBeenCalled()
  end()
})

test('a connection that has ended is asked for no more signs of life', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const client = new EventEmitter()
  keepPulse(client as unknown as pg.Client)
  expect(vi.getTimerCount()).toBe(1)
  client.emit('end')
  expect(vi.getTimerCount()).toBe(0)
})

test('a statement whose answer has come is not cut off because it was read late', async () => {
  const watching = watch('postgres://nobody@127.0.0.1:1/nothing')
  const client = { isBusy: true, sent: 1, pid: 1, cut: vi.fn() }
  watching.add(client as unknown as PreparingClient)
  watching.declareAway()
  standStill(300)
  await someTurns()
  setImmediate(() => {
    client.isBusy = false
  })
  standStill(300)
  await someTurns()
  watching.stop()
  expect(client.cut).not.toHaveBeenCalled()
})
