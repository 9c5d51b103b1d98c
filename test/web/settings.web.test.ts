import { expect, test } from 'vitest'
import { issueCode } from '../../src/accounts/codes/operations.ts'
import { password, resident } from '../support/accounts.ts'
import { codeOf, logInWith } from '../support/two-factor.ts'
import { call, db, house, user } from '../support/world.ts'
import { expectAccessible, openPage } from './support.ts'

/** What the browser itself writes about an answer that refuses something. */
const mayFail = /status of 400/

test('changes username, e-mail address and password', async () => {
  const ann = await resident('plain-ann')
  const page = await openPage('/app/settings/account', { as: ann, mayFail })
  await page.getByLabel('Username').fill('fancy-ann')
  await page.getByRole('button', { name: 'Change username' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByLabel('Present password').fill('wrong horse')
  await page.getByLabel('New password').fill('another horse')
  await page.getByRole('button', { name: 'Change password' }).click()
  expect(await page.getByRole('alert').innerText()).toBe('This password is wrong.')
  await page.getByLabel('Present password').fill(password)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Your password is changed.').waitFor()
  await page.getByLabel('E-mail').fill('fancy@example.org')
  await page.getByLabel('Password', { exact: true }).fill('another horse')
  await page.getByRole('button', { name: 'Change e-mail' }).click()
  // The server of the tests sends no mail.
  const noMail = page.getByText('This server sends no mail. Ask whoever runs it for a code.')
  await expect.poll(() => noMail.count()).toBe(2)
  expect(await page.getByRole('button', { name: 'Send the code again' }).count()).toBe(0)
  await expectAccessible(page)
  const { code } = await issueCode(db, ann.id, 'verify_email', 'fancy@example.org')
  await page.getByRole('link', { name: 'I have a code' }).click()
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Your e-mail address is confirmed.').waitFor()
  const { data } = (await call(ann, 'GET', '/users/@me')).body
  expect(data).toMatchObject({ username: 'fancy-ann', email: 'fancy@example.org' })
})

test('turns two-factor authentication on by a QR code, and off', async () => {
  const ann = await resident()
  const page = await openPage('/app/settings/two-factor', { as: ann })
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Set up' }).click()
  const drawn = page.getByRole('img', { name: 'QR code for your authenticator app' }).locator('path')
  expect((await drawn.getAttribute('d'))?.length).toBeGreaterThan(1_000)
  await expectAccessible(page)
  const secret = await page.getByRole('textbox', { name: 'Secret key' }).inputValue()
  await page.getByLabel('Code from the app').fill(codeOf(secret))
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('It is on').waitFor()
  expect(await page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem').count()).toBe(10)
  expect((await logInWith(ann.username)).body.error.code).toBe('mfa_required')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('It is off').waitFor()
  expect((await logInWith(ann.username)).status).toBe(200)
})

test('ends another session, and unblocks somebody', async () => {
  const ann = await resident()
  const bob = await user({ name: 'Bob' })
  await logInWith(ann.username)
  await call(ann, 'PUT', `/relationships/@me/blocked/${bob.id}`)
  const page = await openPage('/app/settings/sessions', { as: ann })
  await page.getByRole('button', { name: /^End: / }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await page.getByText('The session is ended.').waitFor()
  expect((await call(ann, 'GET', '/users/@me/sessions')).body.data).toHaveLength(1)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Blocked', exact: true }).click()
  await page.getByRole('button', { name: 'Unblock: Bob' }).click()
  await page.getByText('You have blocked nobody.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Unblock: Bob' }).waitFor()
})

test('makes a bot and a new token for it, and deletes it', async () => {
  const ann = await resident()
  const page = await openPage('/app/settings/bots', { as: ann })
  await page.getByLabel('Bot name').fill('Robin')
  await page.getByLabel('Username').fill('robin-bot')
  await page.getByRole('button', { name: 'Create a bot' }).click()
  const shown = page.getByRole('dialog', { name: 'Token of Robin' })
  const token = shown.getByRole('textbox', { name: 'Token' })
  const first = await token.inputValue()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'New token: Robin' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New token' }).click()
  const second = await token.inputValue()
  expect(second).not.toBe(first)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  const bot = { ...ann, token: second }
  expect((await call(bot, 'GET', '/users/@me')).body.data.username).toBe('robin-bot')
  await page.getByRole('button', { name: 'Delete: Robin' }).click()
  await page.getByRole('button', { name: 'Delete bot' }).click()
  await page.getByText('You have no bots yet.').waitFor()
})

test('edits a bot, which others may then add', async () => {
  const ann = await resident()
  const { user: bot } = (await call(ann, 'POST', '/bots', { username: 'wren-bot', name: 'Wren' })).body.data
  const page = await openPage('/app/settings/bots', { as: ann })
  await page.getByRole('button', { name: 'Edit: Wren' }).click()
  await page.getByRole('dialog').getByLabel('Bot name').fill('Linnet')
  await page.getByLabel('Others may add it to their houses').check()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('button', { name: 'Edit: Linnet' }).waitFor()
  const [shown] = (await call(ann, 'GET', '/bots')).body.data
  expect(shown).toMatchObject({ user: { id: bot.id, name: 'Linnet' }, public: true })
})

test('says where there is mail that a code is on its way', async () => {
  const ann = await resident()
  const page = await openPage('/app/friends', { as: ann })
  await page.route('**/server', async (route) => {
    const response = await route.fetch()
    const { success, data } = await response.json()
    await route.fulfill({ response, json: { success, data: { ...data, mail: true } } })
  })
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  await page.getByRole('button', { name: 'Send the code again' }).click()
  await page.getByText('The code is sent.').waitFor()
})

test('deletes the account, with the right password', async () => {
  const ann = await resident()
  await call(ann, 'POST', '/houses', { name: 'Burrow' })
  await house({ owner: ann, members: [await user()] })
  const page = await openPage('/app/settings/account', { as: ann, mayFail })
  await page.getByRole('button', { name: 'Delete account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete account' })
  // Nobody else is there; in the other one there is.
  await dialog.getByText('with all that is in it: Burrow.').waitFor()
  await dialog.getByLabel('Password').fill('wrong horse')
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await dialog.getByRole('alert').waitFor()
  await expectAccessible(page)
  await dialog.getByLabel('Password').fill(password)
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await page.waitForURL('**/app/log-in')
  await page.getByRole('button', { name: 'Log in' }).waitFor()
  expect((await call(ann, 'GET', '/users/@me')).status).toBe(400)
  expect((await logInWith(ann.username)).body.error.code).toBe('invalid_credentials')
})
