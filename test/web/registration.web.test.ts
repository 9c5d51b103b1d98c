import { expect, test } from 'vitest'
import { call, house, user } from '../support/world.ts'
import { expectAccessible, openPage, serverWith } from './support.ts'

const mayFail = /status of 400|status of 404/

const inviting = await serverWith({ registration: 'invite' })
const closed = await serverWith({ registration: 'closed' })

test('a server of invitations says so, takes an invite link, and leads into the house', async () => {
  const owner = await user()
  const den = await house({ owner })
  const { code } = (await call(owner, 'POST', `/houses/${den.id}/invites`, {})).body.data
  const page = await openPage(`${inviting}/app/create-account`, { mayFail })
  await page.getByText('New accounts need an invite here.').waitFor()
  await expectAccessible(page)
  await page.getByLabel('E-mail').fill('invited@example.org')
  await page.getByLabel('Username').fill('invited')
  await page.getByLabel('Password').fill('correct horse')
  await page.getByLabel('Invite link or code').fill('nobody')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('There is no such invite').waitFor()
  await page.getByLabel('Invite link or code').fill(`https://hearth.test/app/invite/${code}`)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'general', level: 1 }).waitFor()
})

test('a closed server says so, and leads back to the login', async () => {
  const page = await openPage(`${closed}/app/create-account`, {
    viewport: { width: 375, height: 800 },
  })
  await page.getByText('This server does not take new accounts. Ask whoever runs it.').waitFor()
  expect(await page.getByLabel('E-mail').count()).toBe(0)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Go on' }).click()
  await page.getByLabel('E-mail or username').waitFor()
  await page.getByRole('link', { name: 'Forgotten password' }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(await page.getByRole('link', { name: 'Create an account' }).count()).toBe(0)
})

test('an invite to a closed server offers the login alone', async () => {
  const owner = await user()
  const den = await house({ owner })
  const { code } = (await call(owner, 'POST', `/houses/${den.id}/invites`, {})).body.data
  const page = await openPage(`${closed}/app/invite/${code}`)
  await page.getByText('If you have one here, log in to join.').waitFor()
  await expectAccessible(page)
  expect(await page.getByRole('link', { name: 'Create an account' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Log in' }).click()
  await page.getByLabel('E-mail or username').waitFor()
})
