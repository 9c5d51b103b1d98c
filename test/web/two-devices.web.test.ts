import { expect, test } from 'vitest'
import { call } from '../support/world.ts'
import { messageOf, openPage, origin, sent, twoInHouse, write } from './support.ts'

test('what one does on one device shows on the other, and what belongs to a device stays there', async () => {
  const { bob, path } = await twoInHouse()
  const desk = await openPage(path, { as: bob })
  const phone = await openPage(path, { as: bob, viewport: { width: 375, height: 667 } })
  const onPhone = phone.getByRole('textbox', { name: 'Message general', exact: true })
  await onPhone.fill('half a thought')

  await write(desk, 'from the desk')
  await messageOf(phone, 'from the desk').waitFor()
  // One's own message is nothing new, and what is begun here stays here.
  expect(await phone.getByText('new', { exact: true }).count()).toBe(0)
  expect(await onPhone.inputValue()).toBe('half a thought')
  expect(await desk.getByRole('textbox', { name: 'Message general', exact: true }).inputValue()).toBe('')

  await sent(desk, 'from the desk')
  await desk.getByRole('textbox', { name: 'Message general', exact: true }).press('ArrowUp')
  const editor = desk.getByRole('textbox', { name: 'Edit message' })
  await editor.fill('changed at the desk')
  await editor.press('Enter')
  await messageOf(phone, 'changed at the desk').waitFor()
  expect(await messageOf(phone, 'from the desk').count()).toBe(0)
  await onPhone.fill('')
  await onPhone.press('ArrowUp')
  const onPhoneEditor = phone.getByRole('textbox', { name: 'Edit message' })
  await onPhoneEditor.fill('')
  await onPhoneEditor.press('Enter')
  await phone.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await messageOf(desk, 'changed at the desk').waitFor({ state: 'detached' })
})

test('a name goes to all devices, the theme stays at its own', async () => {
  const { bob, path } = await twoInHouse()
  const desk = await openPage('/app/settings', { as: bob })
  const phone = await openPage(path, { as: bob })
  const members = phone.getByRole('complementary', { name: 'Members' })
  await members.getByText('Bob').waitFor()
  await desk.getByLabel('Theme').selectOption('Dark')
  await call(bob, 'PATCH', '/users/@me', { name: 'Robert' })
  await members.getByText('Robert').waitFor()
  const themeOf = (page: typeof desk) => page.evaluate('document.documentElement.dataset.theme')
  expect(await themeOf(desk)).toBe('dark')
  expect(await themeOf(phone)).not.toBe('dark')
})

test('a house that one leaves on one device closes on the other', async () => {
  const { bob, den, path } = await twoInHouse()
  const desk = await openPage(path, { as: bob })
  const phone = await openPage(path, { as: bob, viewport: { width: 375, height: 667 } })
  for (const page of [desk, phone]) await page.getByText('Nobody has written here yet.').waitFor()
  await desk.getByRole('button', { name: 'Den: menu' }).click()
  await desk.getByRole('button', { name: 'Leave house' }).click()
  await desk.getByRole('dialog').getByRole('button', { name: 'Leave house' }).click()
  await phone.getByText('This house is not there, or you are not in it.').waitFor()
  expect(await phone.getByRole('textbox', { name: 'Message general' }).count()).toBe(0)
  await phone.getByRole('link', { name: 'To the start' }).click()
  await phone.getByText('You have no houses yet.').waitFor()
  await expect.poll(() => desk.getByRole('link', { name: 'Den' }).count()).toBe(0)
  await desk.goto(`${origin}/app/houses/${den.id}`)
  await desk.getByText('This house is not there, or you are not in it.').waitFor()
})
