import { expect, test } from 'vitest'
import { call, friends, group, message, user } from '../support/world.ts'
import { expectAccessible, openPage } from './support.ts'

/** A group of Ann and Bob, who is a friend of hers as Cat is. */
async function annWithFriends() {
  const ann = await user({ name: 'Ann' })
  const [bob, cat] = [await user({ name: 'Bob' }), await user({ name: 'Cat' })]
  await friends(ann, bob)
  await friends(ann, cat)
  return { ann, bob, cat, room: await group(ann, bob) }
}

test('renames a group, gives it an emoji, adds somebody, removes somebody, and leaves', async () => {
  const { ann, bob, cat, room } = await annWithFriends()
  const page = await openPage(`/app/private/${room}`, { as: ann })
  const head = page.locator('.page-head')
  await page.getByRole('button', { name: 'Bob: menu' }).click()
  await page.getByRole('button', { name: 'Edit group' }).click()
  await page.getByLabel('Group name').fill('crew')
  await page.getByRole('textbox', { name: 'Emoji' }).fill('🚀')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'crew' }).waitFor()
  await head.getByText('Bob', { exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Rooms' }).getByText('🚀').waitFor()
  const members = page.getByRole('complementary', { name: 'Members' })
  await members.getByRole('button', { name: 'Ann' }).waitFor()

  await page.getByRole('button', { name: 'crew: menu' }).click()
  await page.getByRole('button', { name: 'People in the group' }).click()
  const dialog = page.getByRole('dialog', { name: 'People in the group' })
  const people = dialog.getByRole('list', { name: 'People in the group' }).getByRole('listitem')
  await dialog.getByRole('checkbox', { name: 'Cat' }).check()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect.poll(() => people.count()).toBe(3)
  await head.getByText('Bob, Cat', { exact: true }).waitFor()
  expect((await call(cat, 'GET', `/rooms/${room}`)).status).toBe(200)

  // Only the owner removes others.
  const other = await openPage(`/app/private/${room}`, { as: bob })
  await other.getByRole('button', { name: 'crew: menu' }).click()
  await other.getByRole('button', { name: 'People in the group' }).click()
  await other.getByRole('dialog').getByText('Owner').waitFor()
  expect(await other.getByRole('button', { name: /^Remove: / }).count()).toBe(0)

  await dialog.getByRole('button', { name: 'Remove: Bob' }).click()
  await page.getByRole('dialog', { name: 'Remove' }).getByRole('button', { name: 'Remove' }).click()
  await dialog.getByText('Bob is no longer in it.').waitFor()
  await expect.poll(() => people.count()).toBe(2)
  await other.getByRole('dialog').getByText('This room is not there, or you may not see it.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'crew: menu' }).click()
  await page.getByRole('button', { name: 'Leave group' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave group' }).click()
  await page.getByRole('link', { name: 'crew' }).waitFor({ state: 'detached' })
  expect((await call(ann, 'GET', `/rooms/${room}`)).status).toBe(404)
})

test('closes a one-to-one room until it is opened again, or somebody writes', async () => {
  const { ann, bob } = await annWithFriends()
  const { id } = (await call(ann, 'POST', '/users/@me/rooms', { recipient: bob.id })).body.data
  await message(id, bob)
  const page = await openPage(`/app/private/${id}`, { as: ann })
  const link = page.getByRole('navigation', { name: 'Rooms' }).locator(`a[href$="${id}"]`)
  const close = async () => {
    await page.getByRole('button', { name: 'Bob: menu' }).click()
    await page.getByRole('button', { name: 'Close' }).click()
    await link.waitFor({ state: 'detached' })
  }
  await close()
  await page.reload()
  await page.getByRole('button', { name: 'Message: Bob' }).waitFor()
  expect(await link.count()).toBe(0)
  await page.getByRole('button', { name: 'Message: Bob' }).click()
  await page.getByRole('textbox', { name: 'Message Bob' }).waitFor()
  await page.goBack()
  await link.waitFor()
  await page.goForward()
  await close()
  await call(bob, 'POST', `/rooms/${id}/messages`, { content: 'hi' })
  await link.waitFor()
})
