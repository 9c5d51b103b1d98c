import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { password } from '../support/accounts.ts'
import { codeOf, withTotp } from '../support/two-factor.ts'
import { call, houseRoom, message } from '../support/world.ts'
import { expectAccessible, messageOf, openPage, sendAll, twoInHouse } from './support.ts'

const composerOf = (page: Page) => page.getByRole('textbox', { name: 'Message general', exact: true })
const focusIsOn = (page: Page, wanted: Locator) => wanted.and(page.locator(':focus')).waitFor()

test('the focus is where the eye is on every screen that comes', async () => {
  const ann = await withTotp('focus-ann')
  const page = await openPage('/app/log-in', { mayFail: /status of 40[04]/ })
  const hasFocus = (name: string) => focusIsOn(page, page.getByRole('textbox', { name, exact: true }))
  await hasFocus('E-mail or username')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await hasFocus('E-mail')
  await page.getByRole('link', { name: 'I have an account' }).click()
  await hasFocus('E-mail or username')
  await page.keyboard.type(ann.username)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await hasFocus('Two-factor code')
  await page.keyboard.type(codeOf(ann.secret))
  await page.keyboard.press('Enter')
  const hasHeading = (name: string) => focusIsOn(page, page.getByRole('heading', { level: 1, name }))
  await hasHeading('Welcome, focus-ann')
  await page.getByRole('link', { name: 'Settings' }).click()
  await hasHeading('Settings')
  await page.getByRole('link', { name: 'Private rooms' }).click()
  await hasHeading('Friends')
  await page.goBack()
  await hasHeading('Settings')
  await page.goto(new URL('/app/invite/none', page.url()).href)
  await hasHeading('Join a house')
})

