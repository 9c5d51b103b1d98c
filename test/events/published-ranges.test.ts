import type { KyselyPlugin } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { claimNodeNumber, RelayConflict } from '../../src/database/node-number.ts'
import { commit } from '../../src/events/commit.ts'
import { newBus } from '../support/bus.ts'
import { ownWorld } from '../support/own-world.ts'
import { relayDoubles } from '../support/relay-double.ts'
import { databaseUrl, db, node } from '../support/world.ts'

// Processes on a relay that sends ranges of the log, as Redis does.

await ownWorld()
await node.release()

const network = { isLosing: (_text: string) => false }
const openRelay = relayDoubles((text) => (network.isLosing(text) ? [] : [0]), true)

/** A process, the houses that it received events of, and how often it has read the log. */
async function newProcess() {
  const reads = { count: 0 }
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (JSON.stringify(node).includes('list_events')) reads.count += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const { bus, close } = await newBus(openRelay(), db.withPlugin(counting))
  onTestFinished(close)
  const received: string[] = []
  bus.subscribe((event) => {
    if (event.type === 'house_updated') received.push(event.house_id)
  })
  return { bus, close, received, reads }
}

/** Two processes that list each other as peers. */
async function twoProcesses() {
  const [one, other] = [await newProcess(), await newProcess()]
  await vi.waitFor(async () => {
    await update(one, '1')
    await vi.waitUntil(() => other.received.length > 0, 200)
  }, 60_000)
  await expect.poll(() => other.received).toEqual(one.received)
  one.received.length = 0
  other.received.length = 0
  return { one, other }
}

async function update({ bus }: Awaited<ReturnType<typeof newProcess>>, ...houseIds: string[]) {
  for (const house_id of houseIds) {
    const { events } = await commit(db, async () => ({
      answer: null,
      events: [{ type: 'house_updated', house_id }],
    }))
    await bus.deliver(events)
  }
}

test('delivers what another process has published once and in order, and does not read it', async () => {
  const { one, other } = await twoProcesses()
  const readsOfRound = async () => {
    const before = other.reads.count
    one.received.length = 0
    other.received.length = 0
    await update(one, '2', '3', '4')
    await expect.poll(() => other.received).toEqual(['2', '3', '4'])
    return other.reads.count - before
  }
  // The other reads the log every second as well, maybe in between.
  await expect.poll(readsOfRound).toBe(0)
  await update(other, '5')
  expect(other.received.at(-1)).toBe('5')
  await expect.poll(() => one.received).toEqual(['2', '3', '4', '5'])
  await update(one, '6')
  await expect.poll(() => other.received).toEqual(['2', '3', '4', '5', '6'])
})

test('reads what was lost on the way before it delivers what follows', async () => {
  const { one, other } = await twoProcesses()
  network.isLosing = (text) => text.includes('"404"')
  onTestFinished(() => {
    network.isLosing = () => false
  })
  await update(one, '404')
  await update(one, '405')
  await expect.poll(() => other.received).toEqual(['404', '405'])
})

test('reads entries that were not published within a second', async () => {
  const { other } = await twoProcesses()
  await commit(db, async () => ({ answer: null, events: [{ type: 'house_updated', house_id: '503' }] }))
  await expect.poll(() => other.received).toEqual(['503'])
})

test('a process with another kind of relay than running ones does not start', async () => {
  await newProcess()
  const claim = claimNodeNumber(databaseUrl, { assign: () => {}, relaying: 'postgres' })
  await expect(claim).rejects.toBeInstanceOf(RelayConflict)
  const command = await claimNodeNumber(databaseUrl, { assign: () => {} })
  await command.release()
})
