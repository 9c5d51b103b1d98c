import { expect, test } from 'vitest'
import { idleCollector } from '../src/memory.ts'

const mb = 1024 * 1024

/** A process of so many MB whose collections leave 100, and how often it was collected after each look. */
function stage() {
  const state = { residentMb: 110, usedMs: 0, collected: 0 }
  const look = idleCollector({
    residentBytes: () => state.residentMb * mb,
    processorMs: () => state.usedMs,
    collect: () => {
      state.collected += 1
      state.residentMb = 100
    },
  })
  return {
    /** How often it was collected in all, after ten seconds in which so much was done. */
    after(residentMb: number, usedMs: number): number {
      state.residentMb = residentMb
      state.usedMs += usedMs
      look()
      return state.collected
    },
  }
}

test('memory is given back once after the start, and then only when it has grown and there is nothing to do', () => {
  const { after } = stage()
  expect(after(110, 900)).toBe(0)
  expect(after(110, 10)).toBe(1)
  expect(after(120, 10)).toBe(1)
  expect(after(300, 8_000)).toBe(1)
  expect(after(300, 600)).toBe(1)
  expect(after(300, 400)).toBe(2)
  expect(after(101, 10)).toBe(2)
})

test('what is in use anyway is not collected again and again', () => {
  let collected = 0
  let residentMb = 1_000
  const look = idleCollector({
    residentBytes: () => residentMb * mb,
    processorMs: () => 0,
    collect: () => collected++,
  })
  look()
  look()
  residentMb = 1_200
  look()
  expect(collected).toBe(1)
  residentMb = 1_300
  look()
  expect(collected).toBe(2)
})
