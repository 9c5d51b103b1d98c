import { afterAll, vi } from 'vitest'
import { newBus } from './bus.ts'
import { startProcess } from './processes.ts'
import { relayDoubles } from './relay-double.ts'
import { group, house, user } from './world.ts'

const lateMs = 100
/** What is between the two: everything takes a while, or is lost. */
export const line = { isLosing: false }
const openRelay = relayDoubles(() => (line.isLosing ? [] : [lateMs]))
export const here = await startProcess(await newBus(openRelay()))
export const there = await startProcess(await newBus(openRelay()))
await knowEachOther()

/** Waits until both send to each other. */
async function knowEachOther(): Promise<void> {
  const hearing = new Set<typeof here>()
  for (const app of [here, there]) {
    const stop = app.bus.subscribe(({ type }) => {
      if (type === 'typing_started') hearing.add(app)
    })
    afterAll(stop)
  }
  const nobodys = {
    type: 'typing_started',
    room_id: '1',
    house_id: null,
    author_id: '1',
    timestamp: 0,
  } as const
  await vi.waitFor(async () => {
    hearing.clear()
    await Promise.all([here, there].map((app) => app.bus.publish([nobodys])))
    hearing.clear()
    await vi.waitUntil(() => hearing.size === 2, 500)
  }, 60_000)
}

/** Ann's house with ben in it, and a group of hers without him and one with him. */
export async function scene() {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  return { ann, ben, den, trio: await group(ann, cat), full: await group(ann, cat, ben) }
}
