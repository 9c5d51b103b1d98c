import { expect, test } from 'vitest'
import { messageOf, openPage, write } from './support.ts'

test('two people create accounts, a house and an invite, and chat', async () => {
  const ann = await openPage('/')
  await ann.getByRole('link', { name: 'Create an account' }).click()
  await ann.getByLabel('E-mail').fill('ann@example.org')
  await ann.getByLabel('Username').fill('ann')
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
  await bob.getByLabel('E-mail').fill('bob@example.org')
  await bob.getByLabel('Username').fill('bob')
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
