import { expect, test } from 'vitest'
import { call, friends, houseRoom, message, user } from '../support/world.ts'
import { expectAccessible, openPage, twoInHouse } from './support.ts'

test('a conversation begins with a person, and a mention is in a house', async () => {
  const { ann, bob, den } = await twoInHouse()
  await friends(ann, bob)
  const { id } = (await call(ann, 'POST', '/users/@me/rooms', { recipient: bob.id })).body.data
  await call(bob, 'POST', `/rooms/${id}/messages`, { content: 'hi' })
  await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: `see <@${ann.id}>` })
  const page = await openPage(`/app/private/${id}`, { as: ann })
  await page.getByText('This is where your conversation with Bob begins.').waitFor()
  await page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: 'Mentions' }).click()
  await page.getByRole('link', { name: /^Den ?, general ?, / }).waitFor()
})

test('creates a group of friends', async () => {
  const ann = await user({ name: 'Ann' })
  const [bob, cat] = [await user({ name: 'Bob' }), await user({ name: 'Cat' })]
  await friends(ann, bob)
  await friends(ann, cat)
  const page = await openPage('/app/friends', { as: ann })
  await page.getByRole('button', { name: 'Create a group' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a group' })
  await dialog.getByLabel('Group name').fill('crew')
  await dialog.getByRole('checkbox', { name: 'Bob' }).check()
  await dialog.getByRole('checkbox', { name: 'Cat' }).check()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('textbox', { name: 'Message crew' }).waitFor()
  const rooms = (await call(cat, 'GET', '/users/@me/rooms')).body.data as { name: string }[]
  expect(rooms.map(({ name }) => name)).toEqual(['crew'])
})

test('a closed category shows what is open or unread, also after a reload', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await houseRoom(den, { name: 'quiet' })
  const busy = await houseRoom(den, { name: 'busy' })
  const page = await openPage(path, { as: ann })
  const links = page.getByRole('navigation', { name: 'Rooms' }).getByRole('link')
  await expect.poll(() => links.allInnerTexts()).toHaveLength(3)
  await page.getByRole('button', { name: 'Rooms', expanded: true }).click()
  await expect.poll(() => links.allInnerTexts()).toHaveLength(1)
  await message(busy, bob)
  await page.reload()
  await page.getByRole('link', { name: 'busy , unread' }).waitFor()
  expect(await links.count()).toBe(2)
  await page.getByRole('button', { name: 'Rooms', expanded: false }).click()
  await page.getByRole('link', { name: 'quiet' }).waitFor()
})
