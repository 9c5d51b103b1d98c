import { expect, test } from 'vitest'
import { saveFile } from '../../src/storage/discard.ts'
import { otherServer } from '../support/backup.ts'
import { hearth, hearthIn } from '../support/cli.ts'
import { call, type Den, db, house, message, store, user } from '../support/world.ts'

type Listed = { house: { id: string } }

test('list-users and list-houses say that there are none', async () => {
  const place = await otherServer()
  expect(await hearthIn(place, 'list-users')).toMatchObject({ code: 0, out: 'There are no users.' })
  expect(await hearthIn(place, 'list-houses')).toMatchObject({ code: 0, out: 'There are no houses.' })
})

/** The lines about these houses. */
async function linesOf(...dens: Den[]): Promise<string[]> {
  const { out } = await hearth('list-houses')
  return out.split('\n').filter((line) => dens.some(({ id }) => line.startsWith(`${id} `)))
}

test('list-houses lists each with owner and members', async () => {
  const [ann, bob] = [await user(), await user()]
  const one = await house({ owner: ann, members: [bob] })
  const two = await house({ owner: bob })
  expect(await linesOf(two, one)).toEqual([
    `${one.id}  ${ann.username}  2 members  Den`,
    `${two.id}  ${bob.username}  1 member  Den`,
  ])
})

test.each([
  [2_592_000, '30d'],
  [129_600, '36h'],
  [3_601, '3601s'],
])('list-houses shows that the messages of a house stay for %i seconds', async (max_age, shown) => {
  const ann = await user()
  const den = await house({ owner: ann })
  await call(ann, 'PUT', `/houses/${den.id}/retention`, { max_age })
  expect(await linesOf(den)).toEqual([`${den.id}  ${ann.username}  1 member  messages for ${shown}  Den`])
  const listed: Listed[] = JSON.parse((await hearth('list-houses', '--json')).out)
  expect(listed.find(({ house }) => house.id === den.id)).toMatchObject({ max_age })
})

test('delete-house without --yes says what it would delete, and deletes nothing', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const { code, err } = await hearth('delete-house', den.id)
  expect([code, err]).toEqual([1, 'This would delete Den with 1 member for good: say so with --yes.'])
  expect((await call(ann, 'GET', `/houses/${den.id}`)).status).toBe(200)
})

test('delete-house --yes deletes the house, its messages and its files', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  await message(den.room_id, ann)
  const icon = `${'a'.repeat(40)}.webp`
  const name = `houses/${den.id}/icons/${icon}`
  await saveFile(db, store, name, Buffer.from('picture'))
  await db.deleteFrom('discarded_files').where('name', '=', name).execute()
  await db.updateTable('houses').set({ icon }).where('id', '=', den.id).execute()
  const { code, out } = await hearth('delete-house', den.id, '--yes')
  expect([code, out]).toEqual([0, 'Deleted Den with 1 member.'])
  expect((await call(ann, 'GET', `/houses/${den.id}`)).status).not.toBe(200)
  const left = await db.selectFrom('messages').select('id').where('room_id', '=', den.room_id).execute()
  expect(left).toEqual([])
  expect(await store.find(name)).toBeUndefined()
})

test('delete-house refuses a house that is not there', async () => {
  const { code, err } = await hearth('delete-house', 'den', '--yes')
  expect([code, err]).toEqual([1, 'There is no house "den": "npm run hearth -- list-houses" lists them.'])
})
