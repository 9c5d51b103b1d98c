import { beforeAll, describe, expect, test } from 'vitest'
import { call, type Den, house, houseRoom, message, type Person, user } from '../support/world.ts'
import { placesBy, reportRemoteCommands, touchedBy, workerOf } from './remote-commands.ts'

let ann: Person
let bob: Person
let den: Den
/** On different workers. */
let rooms: [string, string]
let messageId: string

beforeAll(async () => {
  ;[ann, bob] = [await user(), await user()]
  den = await house({ owner: ann, members: [bob] })
  let other = await houseRoom(den)
  while ((await workerOf(other)) === (await workerOf(den.room_id))) other = await houseRoom(den)
  rooms = [den.room_id, other]
  messageId = await message(den.room_id, bob, { mentions: [ann] })
  await reportRemoteCommands()
})

type Case = {
  name: string
  /** 1, but for what has nothing of rooms. */
  rooms?: number
  /** How many users are concerned whose rows may be on shards of their own. */
  users: number
  request: () => Promise<{ status: number }>
}

const cases: Case[] = [
  {
    name: 'sending a message',
    users: 1,
    request: () => call(ann, 'POST', `/rooms/${rooms[0]}/messages`, { content: 'one', nonce: 'n1' }),
  },
  {
    name: 'sending a message that mentions somebody',
    users: 2,
    request: () => call(ann, 'POST', `/rooms/${rooms[0]}/messages`, { content: `<@${bob.id}>` }),
  },
  { name: 'a page', users: 0, request: () => call(ann, 'GET', `/rooms/${rooms[0]}/messages?limit=50`) },
  {
    name: 'a page in the extended form',
    users: 0,
    request: () => call(ann, 'GET', `/rooms/${rooms[0]}/messages?limit=50&extended=true`),
  },
  {
    name: 'a page before a message',
    users: 0,
    request: () => call(ann, 'GET', `/rooms/${rooms[0]}/messages?before=${messageId}`),
  },
  {
    name: 'a page around a message',
    users: 0,
    request: () => call(ann, 'GET', `/rooms/${rooms[0]}/messages?around=${messageId}`),
  },
  {
    name: 'one message',
    users: 0,
    request: () => call(ann, 'GET', `/rooms/${rooms[0]}/messages/${messageId}`),
  },
  {
    name: 'reading up to a message',
    rooms: 1,
    users: 1,
    request: () => call(ann, 'POST', `/rooms/${rooms[0]}/messages/${messageId}/ack`),
  },
  {
    name: 'reacting',
    users: 0,
    request: () => call(ann, 'PUT', `/rooms/${rooms[0]}/messages/${messageId}/reactions/%F0%9F%91%8D`),
  },
  { name: 'pinning', users: 0, request: () => call(ann, 'PUT', `/rooms/${rooms[0]}/pins/${messageId}`) },
  { name: 'the pins', users: 0, request: () => call(ann, 'GET', `/rooms/${rooms[0]}/pins`) },
]

test('the pages of many rooms are divided among the workers', async () => {
  const many: string[] = []
  while (many.length < 12) many.push(await houseRoom(den))
  const workers = new Map<string, number>()
  for (const room of many) {
    const touched = await touchedBy(() => call(ann, 'GET', `/rooms/${room}/messages`))
    expect(new Set(touched.map(({ worker }) => worker)).size).toBe(1)
    const worker = touched[0]!.worker
    expect(worker).toBe(await workerOf(room))
    workers.set(worker, (workers.get(worker) ?? 0) + 1)
  }
  expect(workers.size).toBe(2)
})

describe('touches one shard of rooms, and no more of users than it is about:', () => {
  for (const { name, rooms = 1, users, request } of cases) {
    test(name, async () => {
      let status = 0
      const touched = await touchedBy(async () => {
        status = (await request()).status
      })
      expect(status).toBeLessThan(300)
      expect(placesBy('room_id', touched)).toBe(rooms)
      expect(placesBy('user_id', touched)).toBeLessThanOrEqual(users)
    })
  }
})
