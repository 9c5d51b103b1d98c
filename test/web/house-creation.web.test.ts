import { expect, test } from 'vitest'
import { admin, house, user } from '../support/world.ts'
import { expectAccessible, openPage, serverWith } from './support.ts'

const origin = await serverWith({ houseCreation: 'admins' })

test('where admins create houses, others are offered to join one', async () => {
  const page = await openPage(`${origin}/app/`, { as: await user() })
  await page.getByText('You have no houses yet. Join one with an invite link.').waitFor()
  await expectAccessible(page)
  await page.getByRole('navigation', { name: 'Houses' }).getByRole('button', { name: 'Join a house' }).click()
  await page.getByRole('button', { name: 'Join a house', exact: true }).last().waitFor()
  expect(await page.getByRole('button', { name: 'Create a house' }).count()).toBe(0)
})

test('an admin creates one on the page for admins', async () => {
  const page = await openPage(`${origin}/app/admin/houses`, { as: await admin() })
  await page.getByRole('button', { name: 'Create a house' }).click()
  await page.getByLabel('House name').fill('The Hall')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'general', level: 1 }).waitFor()
})

test('somebody with a house is offered only to join another one as well', async () => {
  const ann = await user()
  await house({ owner: ann })
  const page = await openPage(`${origin}/app/`, { as: ann })
  await page.getByRole('navigation', { name: 'Houses' }).hover()
  await page.getByRole('button', { name: 'Join a house' }).waitFor()
  await page.getByRole('button', { name: 'Join a house' }).click()
  await page.getByRole('button', { name: 'Join a house', exact: true }).last().waitFor()
  expect(await page.getByRole('button', { name: 'Create a house' }).count()).toBe(0)
})
