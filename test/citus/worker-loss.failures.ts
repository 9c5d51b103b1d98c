import { beforeAll, expect, inject, test, vi } from 'vitest'
import { call, type Den, house, houseRoom, type Person, user } from '../support/world.ts'
import { workerOf, workerOfUser } from './remote-commands.ts'
import { findWorker, type Worker } from './worker.ts'

const [, one, two] = inject('servers') as [string, string, string]
const timeout = { timeout: 120_000, interval: 200 }
let lost: Worker
/** A user, and a house with a room on each worker; the rows of the user are on the one that stays. */
let ann: Person
let den: Den
let staying: string
let losing: string

beforeAll(async () => {
  const [stays, loses] = [new URL(one).host, new URL(two).host]
  do ann = await user()
  while ((await workerOfUser(ann.id)) !== stays)
  den = await house({ owner: ann })
  const rooms = new Map<string, string>()
  while (rooms.size < 2) {
    const room = await houseRoom(den)
    rooms.set(await workerOf(room), room)
  }
  ;[staying, losing] = [rooms.get(stays)!, rooms.get(loses)!]
  lost = await findWorker(two)
})

const send = (room: string, content: string) => call(ann, 'POST', `/rooms/${room}/messages`, { content })
const page = (room: string) => call(ann, 'GET', `/rooms/${room}/messages?limit=100`)
const contents = async (room: string) =>
  (await page(room)).body.data.map(({ content }: { content: string }) => content)

test('the loss of a worker fails its rooms alone, and loses nothing that was answered', async () => {
  const before = Array.from({ length: 20 }, (_each, place) => `before ${place}`)
  for (const room of [staying, losing]) {
    const answers = await Promise.all(before.map((content) => send(room, content)))
    expect(answers.map(({ status }) => status)).toEqual(before.map(() => 200))
  }

  await lost.crash()
  try {
    const mixed = await Promise.all(
      before.flatMap((_each, place) => [send(losing, `lost ${place}`), send(staying, `during ${place}`)]),
    )
    expect(mixed.map(({ status }) => status)).toEqual(before.flatMap(() => [503, 200]))
    expect([(await page(losing)).status, (await page(staying)).status]).toEqual([503, 200])
  } finally {
    await lost.start()
  }

  await vi.waitFor(async () => expect((await send(losing, 'after')).status).toBe(200), timeout)
  const kept = await contents(losing)
  expect(kept.filter((content: string) => content.startsWith('before')).toSorted()).toEqual(before.toSorted())
  expect(kept.filter((content: string) => content.startsWith('lost'))).toEqual([])
  const others = await contents(staying)
  expect(others.filter((content: string) => content.startsWith('during'))).toHaveLength(before.length)
})
