import { expect, test } from 'vitest'
import { issueCode } from '../../src/accounts/codes/operations.ts'
import { password, resident } from '../support/accounts.ts'
import { codeOf, withTotp } from '../support/two-factor.ts'
import { call, db } from '../support/world.ts'
import { expectAccessible, openPage } from './support.ts'

/** What the browser itself writes about an answer that refuses something. */
const mayFail = /status of 400|status of 404/

test('asks for the second factor when the account has one', async () => {
  const ann = await withTotp('two-factor-ann')
  const page = await openPage('/app/log-in', { mayFail })
  await page.getByLabel('E-mail or username').fill(ann.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByLabel('Two-factor code').fill(codeOf(ann.secret))
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Welcome, two-factor-ann' }).waitFor()
  await page.context().close()
})

test('sets a new password by a code, and logs in with it', async () => {
  const ann = await resident()
  const page = await openPage('/app/log-in', { mayFail })
  // Without mail whoever runs the server has the code.
  await page.getByRole('link', { name: 'Forgotten password' }).click()
  await page.getByText('This server sends no mail. Ask whoever runs it for a code.').waitFor()
  expect(await page.getByRole('button', { name: 'Send code' }).count()).toBe(0)
  await page.getByRole('link', { name: 'I have a code' }).click()
  await page.getByLabel('New password').waitFor()
  const { code } = await issueCode(db, ann.id, 'reset_password', ann.email)
  await page.getByLabel('Code').fill(code)
  await page.getByLabel('New password').fill('another horse')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('link', { name: 'Go on' }).click()
  await page.getByLabel('E-mail or username').fill(ann.username)
  await page.getByLabel('Password').fill('another horse')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: /^Welcome/ }).waitFor()
})

test('the link of a mail asks for the new password alone', async () => {
  const ann = await resident()
  const { code } = await issueCode(db, ann.id, 'reset_password', ann.email)
  const page = await openPage(`/app/new-password#code=${code}`)
  await page.getByLabel('New password').fill('a horse of the link')
  expect(await page.getByLabel('Code').count()).toBe(0)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('Your password is set.').waitFor()
})

test('where the link of a mail has run out, another code can be typed', async () => {
  const ann = await resident()
  const { code } = await issueCode(db, ann.id, 'reset_password', ann.email)
  const page = await openPage(`/app/new-password#code=${'0'.repeat(32)}`, { mayFail: /400/ })
  await page.getByLabel('New password').fill('a horse of the code')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('This code is wrong or has run out.').waitFor()
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('Your password is set.').waitFor()
})

test('where there is mail, asks for a code by the address', async () => {
  const page = await openPage('/app/log-in')
  await page.route('**/server', async (route) => {
    const response = await route.fetch()
    const { success, data } = await response.json()
    await route.fulfill({ response, json: { success, data: { ...data, mail: true } } })
  })
  await page.getByRole('link', { name: 'Forgotten password' }).click()
  await page.getByLabel('E-mail').fill('ann@example.org')
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByText('From the e-mail that was sent to you.').waitFor()
})

test('confirms an e-mail address by a code', async () => {
  const ann = await resident()
  const { code } = await issueCode(db, ann.id, 'verify_email', ann.email)
  // As a mail has it; the code does not stay in the address bar.
  const page = await openPage(`/app/confirm-email#code=${code}`, { as: ann })
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Your e-mail address is confirmed.').waitFor()
  expect(page.url()).toMatch(/\/app\/confirm-email$/)
  expect((await call(ann, 'GET', '/users/@me')).body.data.email_verified).toBe(true)
})

test('a session that was ended elsewhere is logged out', async () => {
  const ann = await resident()
  const page = await openPage('/app/', { as: ann, mayFail })
  await page.getByRole('heading', { name: /^Welcome/ }).waitFor()
  await call(ann, 'POST', '/auth/logout')
  await page.getByText('Your session was ended. Log in again.').waitFor()
  await page.getByLabel('E-mail or username').waitFor()
})

test('names what is wrong with a new account', async () => {
  const ann = await resident()
  const page = await openPage('/app/create-account', { mayFail })
  const create = async (username: string, secret: string) => {
    await page.getByLabel('E-mail').fill('new@example.org')
    await page.getByLabel('Username').fill(username)
    await page.getByLabel('Password').fill(secret)
    await page.getByRole('button', { name: 'Create account' }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    return alert.innerText()
  }
  expect(await create(ann.username, password)).toContain('This username is taken.')
  expect(await create('somebody', 'short')).toContain('A password has 8 to 256 characters')
})

test('says while somebody types that a password is easy to guess', async () => {
  const page = await openPage('/app/create-account')
  const [field, said] = [page.getByLabel('Password'), page.getByText('This password is easy to guess.')]
  await field.pressSequentially('password')
  await said.waitFor()
  await expectAccessible(page)
  await field.pressSequentially(' of ann baker')
  await said.waitFor({ state: 'detached' })
  await page.getByLabel('Username').fill('ann.baker')
  await field.fill('Ann.Baker2026')
  await said.waitFor()
})

test('a disabled account says so, to whom has the password', async () => {
  const ann = await resident()
  await db.updateTable('users').set({ disabled: true }).where('id', '=', ann.id).execute()
  const page = await openPage('/app/log-in', { mayFail })
  await page.getByLabel('E-mail or username').fill(ann.email)
  await page.getByLabel('Password').fill('wrong horse')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('alert').getByText('E-mail, username or password is wrong.').waitFor()
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('alert').getByText('This account is disabled.').waitFor()
})

test('speaks German to who prefers it', async () => {
  const page = await openPage('/app/log-in', { locale: 'de-AT' })
  await page.getByRole('button', { name: 'Anmelden' }).waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('de')
})

test.each([
  '/app/log-in',
  '/app/create-account',
  '/app/forgotten-password',
  '/app/new-password',
  '/app/confirm-email',
  '/app/invite/nothing',
])('%s has nothing that axe finds', async (path) => {
  const page = await openPage(path, { mayFail })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await expectAccessible(page)
  await page.context().close()
})
