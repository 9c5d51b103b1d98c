import { vi } from 'vitest'
import { createBus } from '../../src/events/bus.ts'
import { startProcess } from './processes.ts'
import { relayDoubles } from './relay-double.ts'
import { group, house, user } from './world.ts'

const lateMs = 100
/** What is between the two: everything takes a while, or is lost. */
export const line = { isLosing: false }
const openRelay = relayDoubles(() => (line.isLosing ? [] : [lateMs]))
export const here = await startProcess(createBus(openRelay()))
export const there = await startProcess(createBus(openRelay()))
// They know of each other.
await vi.waitUntil(() => here.bus.isShared && there.bus.isShared, 10_000)

/** Ann's house with ben in it, and a group of hers without him and one with him. */
export async function scene() {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  return { ann, ben, den, trio: await group(ann, cat), full: await group(ann, cat, ben) }
}
