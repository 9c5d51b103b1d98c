import { vi } from 'vitest'
import { atEnd } from './at-end.ts'
import { newBus } from './bus.ts'
import { startProcess } from './processes.ts'
import { relayDoubles } from './relay-double.ts'
import { group, house, user } from './world.ts'

const lateMs = 100

/** Two processes, and the line between them: everything takes a while, or is lost. */
export async function twoProcesses() {
  const line = { isLosing: false }
  const openRelay = relayDoubles(() => (line.isLosing ? [] : [lateMs]))
  const here = await startProcess(await newBus(openRelay()))
  const there = await startProcess(await newBus(openRelay()))
  await knowEachOther([here, there])
  return { here, there, line }
}

/** Waits until each sends to the others. */
async function knowEachOther(apps: Awaited<ReturnType<typeof startProcess>>[]): Promise<void> {
  const hearing = new Set<(typeof apps)[number]>()
  for (const app of apps) {
    const stop = app.bus.subscribe(({ type }) => {
      if (type === 'typing_started') hearing.add(app)
    })
    atEnd(stop)
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
    await Promise.all(apps.map((app) => app.bus.publish([nobodys])))
    hearing.clear()
    await vi.waitUntil(() => hearing.size === apps.length, 500)
  }, 60_000)
}

/** Ann's house with ben in it, and a group of hers without him and one with him. */
export async function scene() {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  return { ann, ben, den, trio: await group(ann, cat), full: await group(ann, cat, ben) }
}
