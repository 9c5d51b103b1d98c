import { expect, test } from 'vitest'
import { pinScene as scene } from '../../support/pins.ts'
import { call, message } from '../../support/world.ts'

test('pinned messages are listed in extended form, latest pin first', async () => {
  const { ann, bob, room_id, pin, unpin, pinned } = await scene()
  const ids = [await message(room_id, ann), await message(room_id, bob), await message(room_id, ann)]
  for (const id of [ids[1]!, ids[2]!, ids[0]!]) {
    expect((await pin(id)).body.data).toEqual({ room_id, message_id: id, pinned: true })
  }
  expect(await pinned()).toEqual([ids[0], ids[2], ids[1]])
  await pin(ids[1]!)
  expect(await pinned()).toEqual([ids[0], ids[2], ids[1]])
  expect((await unpin(ids[2]!)).body.data).toEqual({ room_id, message_id: ids[2], pinned: false })
  expect((await unpin(ids[2]!)).status).toBe(200)
  expect(await pinned()).toEqual([ids[0], ids[1]])
  const [first] = (await call(bob, 'GET', `/rooms/${room_id}/pins`)).body.data
  const single = await call(bob, 'GET', `/rooms/${room_id}/messages/${ids[0]}?extended=true`)
  expect(first).toEqual(single.body.data)
  expect(first).toMatchObject({ pinned: true, reactions: [], reply_to: null })
})
