import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { maxWalBytes } from '../../../src/database/embedded/wal-size.ts'
import { freeSpaceOfFolder, reservedBytes } from '../../../src/database/space/free-space.ts'
import { pauseAfter, stateOf, watchSpace } from '../../../src/database/space/watch-space.ts'

const gib = 2 ** 30

test('a database is low below twice the reserve, and full below the reserve', () => {
  const state = (freeBytes: number) => stateOf({ freeBytes, reserveBytes: 100 })
  expect([200, 199, 100, 99, -1].map(state)).toEqual(['enough', 'low', 'low', 'full', 'full'])
})

test('the nearer the reserve, the sooner it is looked up again', () => {
  const pause = (freeBytes: number) => pauseAfter({ freeBytes, reserveBytes: gib })
  expect(pause(100 * gib)).toBe(10_000)
  expect(pause(gib + 200_000_000)).toBe(2_000)
  expect(pause(gib)).toBe(500)
  expect(pause(0)).toBe(500)
})

test('the reserve and the WAL take a part of a small disk', () => {
  expect([reservedBytes(100 * gib, undefined), reservedBytes(gib, undefined)]).toEqual([gib, gib * 0.05])
  expect(reservedBytes(gib, 0)).toBe(0)
  expect([100 * gib, 2 * gib, 0].map(maxWalBytes)).toEqual([gib, Math.floor(gib / 5), 2 ** 26])
})

test('what the WAL may still take does not count as free', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-space-'))
  const wal = join(folder, 'data/pg_wal')
  await mkdir(wal, { recursive: true })
  const before = await freeSpaceOfFolder(folder)
  for (let n = 0; n < 4; n += 1) await writeFile(join(wal, `00000001000000000000000${n}`), '')
  const after = await freeSpaceOfFolder(folder)
  await rm(folder, { recursive: true })
  // Other processes write to this disk meanwhile.
  expect(after.freeBytes - before.freeBytes).toBeGreaterThan(2 ** 25)
})

test('a space that cannot be read is unknown, and refuses nothing', async () => {
  const failures: unknown[] = []
  const { space, listen, stop } = await watchSpace(() => Promise.reject(new Error('no such folder')))
  listen({ changed: () => {}, failed: (error) => failures.push(error) })
  await stop()
  expect([space.state, failures.length]).toEqual(['unknown', 1])
})

test('a full database stays full while it cannot be looked up', async () => {
  let looks = 0
  const { space, stop } = await watchSpace(async () => {
    looks += 1
    if (looks > 1) throw new Error('gone')
    return { freeBytes: 0, reserveBytes: 1 }
  })
  await vi.waitFor(() => expect(looks).toBe(2))
  await stop()
  expect(space.state).toBe('full')
})

test('a listener learns at once that a database is full', async () => {
  const states: string[] = []
  const { listen, stop } = await watchSpace(async () => ({ freeBytes: 0, reserveBytes: 1 }))
  listen({ changed: ({ state }) => states.push(state), failed: () => {} })
  await stop()
  expect(states).toEqual(['full'])
})
