import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { call, role, user } from '../support/world.ts'
import { expectAccessible, openPage, twoInHouse } from './support.ts'

/** What the browser itself writes about an answer that refuses something. */
const mayFail = /status of 40[04]/

test('sets and removes what a role and a member may do in a room', async () => {
  const { ann, bob, den } = await twoInHouse()
  const roleId = await role(den, {})
  const page = await openPage(`/app/houses/${den.id}/settings/overrides`, { as: ann })
  const deny = async () => {
    await page.getByRole('dialog').getByLabel('Send messages').selectOption('Deny')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'Edit: role' }).click()
  // Only what a room can differ in.
  expect(await page.getByRole('dialog').getByRole('combobox').count()).toBe(7)
  expect(
    await page
      .getByRole('dialog')
      .getByLabel(/Administrator|Kick/)
      .count(),
  ).toBe(0)
  await deny()
  await page.getByRole('button', { name: 'Delete: role' }).waitFor()
  await page.getByLabel('Username').fill(bob.username)
  await page.getByRole('button', { name: 'Set for a member' }).click()
  await deny()
  await page.getByRole('button', { name: 'Delete: Bob' }).waitFor()
  const overrides = async () =>
    (await call(ann, 'GET', `/rooms/${den.room_id}`)).body.data.permission_overrides
  expect(await overrides()).toMatchObject({
    [roleId]: { type: 0, deny: permission.SEND_MESSAGES },
    [bob.id]: { type: 1, deny: permission.SEND_MESSAGES },
  })
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Delete: role' }).click()
  await expect.poll(async () => Object.keys(await overrides())).toEqual([bob.id])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Delete: role' }).waitFor()
  expect(await overrides()).toMatchObject({ [roleId]: { type: 0, deny: permission.SEND_MESSAGES } })
})

test('removes a bot, which can be added again by its name', async () => {
  const { ann, den } = await twoInHouse()
  const { user } = (await call(ann, 'POST', '/bots', { username: 'jay-bot', name: 'Jay' })).body.data
  await call(ann, 'POST', `/houses/${den.id}/bots`, { bot_id: user.id })
  const page = await openPage(`/app/houses/${den.id}/settings/bots`, { as: ann, mayFail })
  await page.getByRole('button', { name: 'Remove bot: Jay' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove bot' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('There are no bots here.').waitFor()
  expect((await call(ann, 'GET', `/houses/${den.id}/members/${user.id}`)).status).toBe(404)
  await page.getByLabel('Username').fill('no-bot-at-all')
  await page.getByRole('button', { name: 'Add bot', exact: true }).click()
  await page.getByText('There is nobody with this name.').waitFor()
  await page.getByLabel('Username').fill('jay-bot')
  await page.getByRole('button', { name: 'Add bot', exact: true }).click()
  await page.getByRole('button', { name: 'Remove bot: Jay' }).waitFor()
})

test('hands a house over to a member only', async () => {
  const { ann, den } = await twoInHouse()
  const stranger = await user({ name: 'Stranger' })
  const page = await openPage(`/app/houses/${den.id}/settings/owner`, { as: ann, mayFail })
  await page.getByLabel('Username').fill(stranger.username)
  await page.getByRole('button', { name: 'Hand over' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click()
  await page.getByText('There is no such member in this house.').waitFor()
  expect((await call(ann, 'GET', `/houses/${den.id}`)).body.data.owner_id).toBe(ann.id)
})

test('adds a bot, hands the house over, and no longer offers what is the owner’s', async () => {
  const { ann, bob, den } = await twoInHouse()
  const { user } = (await call(ann, 'POST', '/bots', { username: 'robin-bot', name: 'Robin' })).body.data
  const page = await openPage(`/app/houses/${den.id}/settings/bots`, { as: ann })
  await page.getByRole('button', { name: 'Add bot: Robin' }).click()
  await page.getByText('The bot is in the house.').waitFor()
  await page.getByRole('button', { name: 'Remove bot: Robin' }).waitFor()
  expect(await page.getByRole('button', { name: 'Add bot: Robin' }).count()).toBe(0)
  expect((await call(ann, 'GET', `/houses/${den.id}/members/${user.id}`)).status).toBe(200)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Owner', exact: true }).click()
  await page.getByLabel('Username').fill(bob.username)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Hand over' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click()
  await page.getByText('There is nothing that you may change in this house.').waitFor()
  expect((await call(bob, 'GET', `/houses/${den.id}`)).body.data.owner_id).toBe(bob.id)
})

test('deletes a house', async () => {
  const { ann, den } = await twoInHouse()
  const page = await openPage(`/app/houses/${den.id}/settings/owner`, { as: ann })
  await page.getByRole('button', { name: 'Delete house' }).click()
  const dialog = page.getByRole('dialog')
  const name = dialog.getByLabel('Type “Den” to confirm')
  await name.fill('den')
  await dialog.getByRole('button', { name: 'Delete house' }).click()
  await dialog.getByText('That is not “Den”. Nothing was deleted.').waitFor()
  expect((await call(ann, 'GET', `/houses/${den.id}`)).status).toBe(200)
  await expectAccessible(page)
  await name.fill(' Den ')
  await dialog.getByRole('button', { name: 'Delete house' }).click()
  await page.waitForURL('**/app/private')
  expect((await call(ann, 'GET', `/houses/${den.id}`)).status).not.toBe(200)
})
