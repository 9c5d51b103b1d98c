import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { password, resident } from '../support/accounts.ts'
import { db } from '../support/world.ts'
import { unzip } from '../support/zip.ts'
import { expectAccessible, openPage } from './support.ts'

test('an archive of the account is asked for, waited for, and downloaded', async () => {
  const ann = await resident('ann')
  const page = await openPage('/app/settings/account', { as: ann })
  await page.getByRole('button', { name: 'Request an archive' }).click()
  await page.getByLabel('Password', { exact: true }).last().fill(password)
  await page.getByRole('dialog').getByRole('button', { name: 'Request an archive' }).click()
  const link = page.getByRole('link', { name: 'Download the archive' })
  await link.waitFor()
  await page.getByText(/The archive is ready until \d+ \w+ \d+, \d+:\d+\./).waitFor()
  await expectAccessible(page)
  const downloading = page.waitForEvent('download')
  await link.click()
  const files = await unzip(await readFile(await (await downloading).path()))
  expect(JSON.parse(files['account.json']!)).toMatchObject({ username: ann.username })
})

test('a bar shows how far the archive is', async () => {
  const ann = await resident()
  const leased_until = new Date(Date.now() + 600_000)
  const making = { user_id: ann.id, key: 'c'.repeat(64), progress: 42, leased_until }
  await db.insertInto('exports').values(making).execute()
  const page = await openPage('/app/settings/account', { as: ann })
  const bar = page.getByRole('progressbar', { name: 'The archive is being made' })
  await bar.waitFor()
  expect(await bar.evaluate((element) => Reflect.get(element, 'value'))).toBe(42)
  await expectAccessible(page)
})

test('says how long one has to wait for another archive', async () => {
  const ann = await resident()
  const page = await openPage('/app/settings/account', { as: ann, mayFail: /429/ })
  await page.route('**/users/@me/export', (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    const error = { code: 'rate_limit', message: 'Too many requests' }
    const headers = { 'retry-after': '43200' }
    return route.fulfill({ status: 429, headers, json: { success: false, error } })
  })
  await page.getByRole('button', { name: 'Request an archive' }).click()
  await page.getByLabel('Password', { exact: true }).last().fill(password)
  await page.getByRole('dialog').getByRole('button', { name: 'Request an archive' }).click()
  await page.getByText('Too many attempts. Try again in 12 hours.').waitFor()
})
