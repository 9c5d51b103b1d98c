import { describe, expect, test } from 'vitest'
import { eventSchemas } from '../../../src/gateway/schemas.ts'
import type { EventRow } from '../../support/event-row.ts'
import { houses, permissions } from '../../support/event-rows-of-houses.ts'
import { accounts, others, relations } from '../../support/event-rows-of-people.ts'
import { messages, privateRooms } from '../../support/event-rows-of-rooms.ts'
import {
  type Column,
  columns,
  connect,
  drainReceived,
  type EventScene,
  eventScene,
  renewMessages,
} from '../../support/event-scene.ts'
import { listen } from '../../support/gateway.ts'
import { call } from '../../support/world.ts'

// The audience of every action (docs/gateway.md#events), at the moment of the change.

const eventRows = [
  ...others,
  ...relations,
  ...privateRooms,
  ...messages,
  ...houses,
  ...permissions,
  ...accounts,
]
const app = await listen({ offlineAfterMs: 20 })
let kept: Promise<EventScene> | undefined

async function connectedScene(): Promise<EventScene> {
  const scene = await eventScene(app)
  await connect(scene, ...columns)
  return scene
}

async function sceneFor({ keepsScene }: EventRow): Promise<EventScene> {
  if (!keepsScene) return connectedScene()
  kept ??= connectedScene()
  const scene = await kept
  await renewMessages(scene)
  return scene
}

describe.each(eventRows)('$action', (row) => {
  test('reaches exactly its audience', async () => {
    const scene = await sceneFor(row)
    await row.before?.(scene)
    await drainReceived(scene)
    if (row.request) {
      const answer = await call(scene.people[row.by ?? 'caller'], ...(await row.request(scene)))
      expect(answer.status < 300, answer.text).toBe(!row.refused)
    }
    await row.act?.(scene)
    const received = await drainReceived(scene)
    const ordered = (names: string[]) => (row.anyOrder ? names.toSorted() : names)
    const expected = columns.map((name) => [name, ordered(row.received?.[name] ?? [])] as const)
    const actual = columns.map((name) => [name, ordered(received[name])] as const)
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected))
    if (row.keepsScene) return
    for (const client of Object.values(scene.clients)) client.socket.terminate()
  })
})

test('the matrix covers every event and every audience', () => {
  const cells = eventRows.flatMap((row) => Object.entries(row.received ?? {}))
  const names = new Set(cells.flatMap(([, events]) => events))
  expect([...names].sort()).toEqual(Object.keys(eventSchemas).sort())
  const hearing = new Set(cells.map(([column]) => column as Column))
  expect(columns.filter((column) => !hearing.has(column))).toEqual(['banned'])
})
