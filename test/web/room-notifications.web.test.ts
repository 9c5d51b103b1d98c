import { expect, test } from 'vitest'
import { call, houseRoom, message } from '../support/world.ts'
import { expectAccessible, openPage, twoInHouse } from './support.ts'

test('a muted room shows no marks, nor does its house, until notifications are chosen again', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const news = await houseRoom(den, { name: 'news' })
  const page = await openPage(path, { as: ann })
  const link = page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: 'news' })
  const home = page.getByRole('navigation', { name: 'Houses' }).locator('[data-item]')
  const choose = async (wanted: string) => {
    await link.click()
    await page.getByRole('button', { name: 'news: menu' }).click()
    await page.getByRole('button', { name: 'Notifications' }).click()
    const dialog = page.getByRole('dialog', { name: 'Notifications' })
    await dialog.getByLabel('Tell me of').selectOption(wanted)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: 'general' }).click()
  }
  await choose('Nothing, and show no marks')
  await message(news, bob, { content: 'once', mentions: [ann] })
  await page.reload()
  await link.waitFor()
  expect([await link.innerText(), await home.innerText()].join()).not.toMatch(/unread|mention/)
  const { data } = (await call(ann, 'GET', '/users/@me/settings')).body
  expect(data.room_overrides[news]).toEqual({ notification_preference: 2 })
  await choose('Mentions')
  await call(bob, 'POST', `/rooms/${news}/messages`, { content: `<@${ann.id}>` })
  await expect.poll(() => link.innerText()).toContain('1 mention')
  await expect.poll(() => home.innerText()).toContain('1 mention')
})
