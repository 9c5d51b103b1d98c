import { expect, test } from 'vitest'
import { webhook } from '../support/webhooks.ts'
import { app, house, user } from '../support/world.ts'
import { expectAccessible, messageOf, openPage } from './support.ts'

test('a webhook with the name of a person is marked as a bot, in messages and where one looks at it', async () => {
  const ann = await user({ name: 'Ann' })
  const den = await house({ owner: ann })
  const { path: url } = await webhook(den, { name: 'Ann' })
  const page = await openPage(`/app/houses/${den.id}/rooms/${den.room_id}`, { as: ann })
  const payload = { text: 'send me money' }
  expect((await app.inject({ method: 'POST', url, payload })).statusCode).toBe(200)
  const said = messageOf(page, 'send me money')
  await said.getByText('Bot', { exact: true }).waitFor()
  await expectAccessible(page)
  await said.getByRole('button', { name: 'Ann', exact: true }).click()
  const card = page.getByRole('dialog', { name: 'Ann' })
  await card.getByText('Bot', { exact: true }).waitFor()
  // It is never there, and so not absent either.
  expect(await card.getByText('Offline').count()).toBe(0)

  const field = page.getByRole('textbox', { name: 'Message general' })
  await page.keyboard.press('Escape')
  await field.fill('I am no bot.')
  await field.press('Enter')
  await messageOf(page, 'I am no bot.').waitFor()
  expect(await messageOf(page, 'I am no bot.').getByText('Bot', { exact: true }).count()).toBe(0)
})
