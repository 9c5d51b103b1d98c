import { expect, test } from 'vitest'
import { admin, call, db, house, message, uniqueName, user } from '../support/world.ts'

const ruler = await admin()

test('houses are listed by id with owner and counts, and found by a part of their name', async () => {
  const [ann, bob] = [await user(), await user()]
  const dens = [await house({ owner: ann, members: [bob] }), await house({ owner: bob })]
  await message(dens[0]!.room_id, bob)
  const name = uniqueName('Garden Club ')
  await db.updateTable('houses').set({ name }).where('id', '=', dens[0]!.id).execute()
  const list = async (query: string) => (await call(ruler, 'GET', `/admin/houses?${query}`)).body.data
  const [found] = await list(`q=${encodeURIComponent(name.toLowerCase().slice(3))}`)
  expect(found).toMatchObject({
    house: { id: dens[0]!.id, name, member_count: 2 },
    owner: { id: ann.id, username: ann.username },
    members: 2,
    messages: 1,
    storage_bytes: 0,
  })
  const idsOf = (rows: { house: { id: string } }[]) => rows.map((each) => each.house.id)
  expect(idsOf(await list(`after=${dens[0]!.id}&limit=1`))).toEqual([dens[1]!.id])
  expect(idsOf(await list(`q=${dens[1]!.id}`))).toEqual([dens[1]!.id])
})
