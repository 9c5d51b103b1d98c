import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listIds } from '../../support/messages.ts'
import { holding, longArchive } from '../../support/search.ts'
import { call, house, houseRoom, message, user } from '../../support/world.ts'

// Between two pages a message is sent or deleted.
const Disturbance = fc.record({ isSend: fc.boolean(), at: fc.nat() })

test('the pages together are the whole list without overlap, during sends and deletions', async () => {
  const run = async (
    limit: number,
    count: number,
    disturbances: { isSend: boolean; at: number }[],
    path: string,
  ) => {
    const [ann, bob] = [await user(), await user()]
    const den = await house({ owner: ann, members: [bob] })
    const rooms = [den.room_id, await houseRoom(den)]
    const place = new Map<string, string>()
    for (let n = 0; n < count; n += 1) {
      const roomId = path.startsWith('/rooms') ? rooms[0]! : rooms[n % 2]!
      place.set(await message(roomId, ann, { mentions: [bob] }), roomId)
    }
    const ids = [...place.keys()]
    const url = path.replace(':id', rooms[0]!)
    const gone = new Set<string>()
    const seen: string[] = []
    for (let page = 0; ; page += 1) {
      const last = seen.at(-1)
      const [got] = await Promise.all([
        listIds(bob, `${url}?limit=${limit}${last ? `&before=${last}` : ''}`),
        (async () => {
          const { isSend, at } = disturbances[page] ?? { isSend: true, at: 0 }
          if (isSend) {
            await call(ann, 'POST', `/rooms/${rooms[0]}/messages`, { content: `<@${bob.id}>` })
            return
          }
          const id = ids[at % ids.length]!
          gone.add(id)
          await call(ann, 'DELETE', `/rooms/${place.get(id)}/messages/${id}`)
        })(),
      ])
      seen.push(...got)
      if (got.length < limit) break
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual([...seen].sort((one, other) => (BigInt(one) < BigInt(other) ? 1 : -1)))
    const old = seen.filter((id) => place.has(id))
    for (const id of ids) if (!gone.has(id)) expect(old).toContain(id)
  }
  const path = fc.constantFrom('/rooms/:id/messages', '/streams/@me/mentions', '/streams/@me/feed')
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(Disturbance),
      path,
      run,
    ),
    { numRuns: 15 },
  )
})

test('without a limit a page has the newest 50', async () => {
  const { bob, den } = await longArchive(1)
  const all = await holding([den.room_id], [], [])
  const common = await holding([den.room_id], ['common'], [])
  for (const [path, ids] of [
    [`/rooms/${den.room_id}/messages`, all],
    ['/streams/@me/feed', all],
    [`/rooms/${den.room_id}/messages/search?q=common`, common],
  ] as const) {
    expect(await listIds(bob, path)).toEqual(ids.slice(0, 50))
  }
})
