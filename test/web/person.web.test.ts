import sharp from 'sharp'
import { expect, test } from 'vitest'
import { call, role, user } from '../support/world.ts'
import { expectAccessible, messageOf, openPage, twoInHouse } from './support.ts'

test('a name, a picture and a mention lead to the person, and to a conversation', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await call(bob, 'PATCH', '/users/@me', { bio: 'grows tomatoes' })
  await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: `I am <@${bob.id}>` })
  const page = await openPage(path, { as: ann })
  const message = messageOf(page, 'I am')
  const dialog = page.getByRole('dialog', { name: 'Bob' })
  for (const part of [
    message.getByRole('button', { name: 'Bob', exact: true }),
    message.locator('.picture'),
    message.getByRole('button', { name: '@Bob' }),
  ]) {
    await part.click()
    await dialog.getByText('grows tomatoes').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
  await expectAccessible(page)
  await message.getByRole('button', { name: '@Bob' }).click()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Message' }).click()
  await page.getByRole('textbox', { name: 'Message Bob' }).waitFor()
})

test('shows what somebody writes about themselves, with a website typed without its scheme', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'hello' })
  const own = await openPage('/app/settings/profile', { as: bob, mayFail: /status of 400/ })
  await own.getByLabel('Website').fill('javascript:alert(1)')
  await own.getByRole('button', { name: 'Save changes' }).click()
  await own.getByRole('alert').getByText('This is not the address of a website, like example.org.').waitFor()
  await own.getByLabel('Website').fill('tomatoes.example/red')
  await own.getByLabel('Location').fill('Garden')
  await own.getByLabel('About you').fill('grows **tomatoes**, see https://e.example')
  await own.getByRole('button', { name: 'Save changes' }).click()
  await own.getByText('Saved.').waitFor()
  const header = (
    await sharp({ create: { width: 300, height: 100, channels: 3, background: 'teal' } })
      .png()
      .toBuffer()
  ).toString('base64')
  expect((await call(bob, 'PATCH', '/users/@me', { header })).status).toBe(200)

  const page = await openPage(path, { as: ann, viewport: { width: 375, height: 667 } })
  await messageOf(page, 'hello').getByRole('button', { name: 'Bob' }).click()
  const dialog = page.getByRole('dialog', { name: 'Bob' })
  await dialog.locator('strong', { hasText: 'tomatoes' }).waitFor()
  const links = dialog.getByRole('link')
  expect(await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')))).toEqual([
    'https://e.example/',
    'https://tomatoes.example/red',
  ])
  expect(await links.last().innerText()).toBe('tomatoes.example/red')
  await dialog.getByText('Garden').waitFor()
  const picture = dialog.locator('img.person-header')
  await expect
    .poll(() => picture.evaluate((image) => Number(Reflect.get(image, 'naturalWidth'))))
    .toBeGreaterThan(0)
  await expectAccessible(page)
})

test('blocks and unblocks from a message, where nobody can write meanwhile', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'hello' })
  const page = await openPage(path, { as: ann })
  await messageOf(page, 'hello').getByRole('button', { name: 'Bob' }).click()
  const dialog = page.getByRole('dialog', { name: 'Bob' })
  const befriend = () => call(bob, 'POST', '/relationships/@me/friend-requests', { user_id: ann.id })
  await dialog.getByRole('button', { name: 'Block' }).click()
  const block = page.getByRole('dialog', { name: 'Block' })
  await block.getByText('Block Bob? You will not be friends any more').waitFor()
  await block.getByRole('button', { name: 'Block' }).click()
  await dialog.getByRole('button', { name: 'Unblock' }).waitFor()
  expect(await dialog.getByRole('button', { name: /Message|friend/ }).count()).toBe(0)
  expect((await befriend()).status).toBe(400)
  await dialog.getByRole('button', { name: 'Unblock' }).click()
  await dialog.getByRole('button', { name: 'Add as friend' }).waitFor()
  expect((await befriend()).status).toBe(200)
  // From here on it is a request, which one accepts or declines.
  await dialog.getByRole('button', { name: 'Accept' }).waitFor()
  await dialog.getByRole('button', { name: 'Decline' }).click()
  await page.getByRole('dialog', { name: 'Decline' }).getByRole('button', { name: 'Decline' }).click()
  await dialog.getByRole('button', { name: 'Add as friend' }).waitFor()
})

test('says to whom asks themselves or nobody for friendship what is wrong', async () => {
  const ann = await user({ name: 'Ann' })
  const page = await openPage('/app/friends', { as: ann, mayFail: /status of 400/ })
  const ask = async (username: string) => {
    await page.getByLabel('Username').fill(username)
    await page.getByRole('button', { name: 'Send request' }).click()
  }
  await ask(ann.username)
  await page.getByRole('alert').getByText('You cannot add yourself as a friend.').waitFor()
  await ask('nobody-of-this-name')
  await page.getByRole('alert').getByText('There is nobody with this name.').waitFor()
})

test('declines a request among the friends', async () => {
  const ann = await user({ name: 'Ann' })
  const bob = await user({ name: 'Bob' })
  await call(bob, 'POST', '/relationships/@me/friend-requests', { user_id: ann.id })
  const page = await openPage('/app/friends', { as: ann })
  await page.getByRole('button', { name: 'Decline: Bob' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click()
  await page.getByText('You have no friends here yet.').waitFor()
  const other = await openPage('/app/friends', { as: bob })
  await other.getByText('You have no friends here yet.').waitFor()
})

test('gives a role to the author of a message, and bans them', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const helper = await role(den, { position: 1 })
  await call(ann, 'PATCH', `/houses/${den.id}/roles/${helper}`, { name: 'Helper' })
  await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'spam' })
  const page = await openPage(path, { as: ann, viewport: { width: 375, height: 667 } })
  await messageOf(page, 'spam').getByRole('button', { name: 'Bob' }).click()
  const dialog = page.getByRole('dialog', { name: 'Bob' })
  await dialog.getByRole('checkbox', { name: 'Helper' }).click()
  await expect.poll(() => dialog.getByRole('checkbox', { name: 'Helper' }).isChecked()).toBe(true)
  await dialog.getByRole('button', { name: 'Ban' }).click()
  await page.getByRole('dialog', { name: 'Ban' }).getByRole('button', { name: 'Ban' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const banned = (await call(ann, 'GET', `/houses/${den.id}/bans`)).body.data
  expect(banned.map((each: { user_id: string }) => each.user_id)).toEqual([bob.id])
  // Gone from the house, they can be looked at still, but not removed again.
  await messageOf(page, 'spam').getByRole('button', { name: 'Bob' }).click()
  await dialog.getByRole('button', { name: 'Block' }).waitFor()
  expect(await dialog.getByRole('button', { name: /Kick|Ban/ }).count()).toBe(0)
})
