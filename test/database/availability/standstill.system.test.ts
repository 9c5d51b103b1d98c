import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { availabilityCheck, openDatabase } from '../../../src/database/client.ts'
import { standStill } from '../../support/standstill.ts'
import { databaseUrl } from '../../support/world.ts'

test('a stall while connecting does not count as an unavailable database', async () => {
  const late = openDatabase(databaseUrl)
  try {
    const waiting = sql<{ one: number }>`select 1 as one`.execute(late)
    await turn()
    standStill(2_100)
    expect((await waiting).rows).toEqual([{ one: 1 }])
    expect(availabilityCheck(late)()).toBe(false)
  } finally {
    await late.destroy()
  }
})

test('who waits for one of the connections is not refused for a standstill', async () => {
  const late = openDatabase(databaseUrl)
  try {
    const statements = Array.from({ length: 15 }, () => sql`select pg_sleep(0.02)`.execute(late))
    await turn()
    standStill(2_100)
    await Promise.all(statements)
    expect(availabilityCheck(late)()).toBe(false)
  } finally {
    await late.destroy()
  }
})

test('a statement that is answered during a stall is not cancelled', async () => {
  const late = openDatabase(databaseUrl)
  try {
    await sql`select 1`.execute(late)
    const waiting = sql<{ one: number }>`select pg_sleep(0.2), 1 as one`.execute(late)
    for (let round = 0; round < 5; round += 1) {
      await turn()
      standStill(500)
    }
    expect((await waiting).rows).toMatchObject([{ one: 1 }])
    expect(availabilityCheck(late)()).toBe(false)
  } finally {
    await late.destroy()
  }
})
