import { expect, test } from 'vitest'
import { inviteTo } from '../support/invites.ts'
import { startOidcProvider } from '../support/oidc.ts'
import { house, user } from '../support/world.ts'
import { expectAccessible, openPage, serverWith } from './support.ts'

const mayFail = /status of 400/
const origins: string[] = []
const provider = await startOidcProvider(() => origins.map((origin) => `${origin}/auth/oidc/callback`))
const origin = await serverWith({ oidc: provider.settings })
origins.push(origin)

test('logs in at the provider by keyboard, and comes back to where one wanted to go', async () => {
  provider.become({ sub: 'ann', name: 'Ann of the provider' })
  const page = await openPage(`${origin}/app/friends`, { viewport: { width: 375, height: 700 } })
  const button = page.getByRole('link', { name: 'Log in with your organisation' })
  await button.waitFor()
  await expectAccessible(page)
  await button.press('Enter')
  await page.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()
  expect(new URL(page.url()).search).toBe('')
  expect(await page.evaluate(() => localStorage.getItem('hearth.token'))).toMatch(/^[0-9a-f]{128}$/)
})

test('leads into the house of an invite', async () => {
  provider.become({ sub: 'bob', name: 'Bob' })
  const den = await house({ owner: await user() })
  const page = await openPage(`${origin}/app/log-in?invite=${await inviteTo(den)}`)
  await page.getByRole('link', { name: 'Log in with your organisation' }).click()
  await page.getByRole('button', { name: 'Join Den' }).click()
  await page.getByRole('heading', { name: 'general', level: 1 }).waitFor()
})

test('says what to do where the provider refuses, or the address is taken', async () => {
  provider.refuse(true)
  const page = await openPage(`${origin}/app/log-in`, { mayFail })
  await page.getByRole('link', { name: 'Log in with your organisation' }).click()
  await page.getByText('That did not work. Log in once more.').waitFor()
  await expectAccessible(page)
  provider.refuse(false)
  await user({ email: 'taken@example.org' })
  provider.become({ sub: 'cat', email: 'taken@example.org', email_verified: true })
  await page.getByRole('link', { name: 'Go on' }).click()
  await page.getByRole('link', { name: 'Log in with your organisation' }).click()
  await page.getByText('There is an account with this e-mail address already.').waitFor()
})

test('a link with a code that this tab has not asked for logs nobody in', async () => {
  const page = await openPage(`${origin}/app/oidc?code=${'0'.repeat(32)}&return_to=/app/friends`)
  await page.getByText('Your login there took too long, or began elsewhere.').waitFor()
  expect(await page.evaluate(() => localStorage.getItem('hearth.token'))).toBeNull()
})

test('without a provider there is no button', async () => {
  const page = await openPage('/app/log-in')
  await page.waitForLoadState('networkidle')
  expect(await page.getByRole('link', { name: 'Log in with your organisation' }).count()).toBe(0)
})
