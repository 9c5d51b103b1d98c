import sharp from 'sharp'
import { expect, test } from 'vitest'
import { password, resident } from '../../support/accounts.ts'
import { call, uniqueName } from '../../support/world.ts'
import { expectAccessible, messageOf, openPage, watchPages, write } from '../support.ts'

watchPages()

/** What the browser itself writes about an answer that refuses something. */
const mayFail = /status of 400|status of 404/

test('two people create accounts, a house and an invite, and chat', async () => {
  const [annsName, bobsName] = [uniqueName('ann'), uniqueName('bob')]
  const ann = await openPage('/')
  await ann.getByRole('link', { name: 'Create an account' }).click()
  await ann.getByLabel('E-mail').fill(`${annsName}@example.org`)
  await ann.getByLabel('Username').fill(annsName)
  await ann.getByLabel('Password').fill('correct horse')
  await ann.getByRole('button', { name: 'Create account' }).click()
  await ann.getByRole('main').getByRole('button', { name: 'Create a house' }).click()
  await ann.getByLabel('House name').fill('The Den')
  await ann.getByRole('button', { name: 'Create', exact: true }).click()
  await write(ann, 'hello')
  await messageOf(ann, 'hello').waitFor()

  await ann.getByRole('button', { name: 'The Den: menu' }).click()
  await ann.getByRole('button', { name: 'Invite people' }).click()
  const link = ann.getByRole('textbox', { name: 'Invite link' })
  await expect.poll(() => link.inputValue()).toContain('/app/invite/')

  const bob = await openPage(await link.inputValue())
  await bob.getByRole('heading', { name: 'You are invited to The Den' }).waitFor()
  await bob.getByText('1 member').waitFor()
  await bob.getByRole('link', { name: 'Create an account' }).click()
  await bob.getByLabel('E-mail').fill(`${bobsName}@example.org`)
  await bob.getByLabel('Username').fill(bobsName)
  await bob.getByLabel('Password').fill('battery staple')
  await bob.getByRole('button', { name: 'Create account' }).click()
  await messageOf(bob, 'hello').waitFor()
  await write(bob, 'hi Ann')

  await ann.keyboard.press('Escape')
  await messageOf(ann, 'hi Ann').waitFor()
  await bob.reload()
  await messageOf(bob, 'hi Ann').waitFor()
  expect(await messageOf(bob, 'hi Ann').count()).toBe(1)
})

test('logs in with a username, says what is wrong, and logs out', async () => {
  const ann = await resident()
  const page = await openPage('/app/friends', { mayFail })
  await page.getByLabel('E-mail or username').fill(ann.username)
  await page.getByLabel('Password').fill('wrong horse')
  await page.getByRole('button', { name: 'Log in' }).click()
  expect(await page.getByRole('alert').innerText()).toBe('E-mail, username or password is wrong.')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  // It leads to where one wanted to go.
  await page.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()

  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('E-mail or username').waitFor()
  const token = await page.evaluate(() => localStorage.getItem('hearth.token'))
  expect(token).toBeNull()
  expect(await page.getByText('Your session was ended').count()).toBe(0)
})

test('changes the profile and the picture', async () => {
  const ann = await resident()
  const page = await openPage('/app/settings', { as: ann })
  await page.getByRole('link', { name: 'Profile', exact: true }).click()
  await page.getByLabel('Display name').fill('Ann of the Den')
  await page.getByLabel('About you').fill('Bakes.\nReads.')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  const buffer = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
  await page
    .getByLabel('Choose a picture')
    .first()
    .setInputFiles({ name: 'ann.png', mimeType: 'image/png', buffer })
  await page.getByRole('button', { name: 'Remove the picture' }).waitFor()
  const { data } = (await call(ann, 'GET', '/users/@me')).body
  expect(data).toMatchObject({ name: 'Ann of the Den', bio: 'Bakes.\nReads.', icon: expect.any(String) })
  await expectAccessible(page)
})
