import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { call, houseRoom, role } from '../support/world.ts'
import { expectAccessible, openPage, twoInHouse } from './support.ts'

test('shows who changed what, and filters by what was done and by whom', async () => {
  const { ann, bob, den } = await twoInHouse()
  await role(den, { allow: permission.ADMINISTRATOR, members: [bob] })
  const headers = { 'x-audit-reason': encodeURIComponent('Wir ziehen um') }
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Lair' }, { headers })
  await call(bob, 'PATCH', `/rooms/${den.room_id}`, { name: 'hall', description: 'All of us' })
  const page = await openPage(`/app/houses/${den.id}/settings/audit-log`, { as: ann, mayFail: /400/ })
  const rows = page.getByRole('main').locator('.rows > li')
  await expect.poll(() => rows.count()).toBe(2)
  await rows.first().getByText('Room changed: hall').waitFor()
  await rows.first().getByText('2 changes').click()
  await rows.first().getByText('Name: general → hall').waitFor()
  await rows.first().getByText('Description: nothing → All of us').waitFor()
  await rows.last().getByText('Wir ziehen um').waitFor()
  await expectAccessible(page)

  await page.getByLabel('Who did it').fill(bob.username)
  await page.keyboard.press('Enter')
  await expect.poll(() => rows.allInnerTexts()).toMatchObject([expect.stringContaining('Bob')])
  await page.getByLabel('Who did it').fill('')
  await page.getByLabel('What was done').selectOption('House changed')
  await page.getByRole('button', { name: 'Show' }).click()
  await expect.poll(() => rows.allInnerTexts()).toMatchObject([expect.stringContaining('House changed')])
  await page.getByLabel('Who did it').fill('nobody.at.all')
  await page.keyboard.press('Enter')
  await page.getByText('There is nobody with this name.').waitFor()
  await page.getByLabel('Who did it').fill('')
  await page.getByLabel('What was done').selectOption('Role deleted')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('Nothing found.').waitFor()
})

test('says what was allowed and denied by its names, and of what is gone only what it was', async () => {
  const { ann, bob, den } = await twoInHouse()
  const helper = await role(den, { position: 1, allow: permission.KICK_MEMBERS })
  const allow = permission.MANAGE_ROOMS | permission.CREATE_INVITES
  await call(ann, 'PATCH', `/houses/${den.id}/roles/${helper}`, { allow })
  const override = { type: 0, allow: 0, deny: permission.SEND_MESSAGES }
  await call(ann, 'PUT', `/rooms/${den.room_id}/overrides/${helper}`, override)
  const { id } = (await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'spam' })).body.data
  await call(ann, 'DELETE', `/rooms/${den.room_id}/messages/${id}`)
  const page = await openPage(`/app/houses/${den.id}/settings/audit-log`, { as: ann })
  const rows = page.getByRole('main').locator('.rows > li')
  await expect.poll(() => rows.count()).toBe(3)
  for (const row of await rows.all()) await row.locator('summary').click()
  await rows.nth(0).getByText('Room: general', { exact: true }).waitFor()
  await rows.nth(0).getByText('Author: Bob', { exact: true }).waitFor()
  await rows.nth(1).getByText(': Deny + Send messages').waitFor()
  await rows.nth(2).getByText('Allows: + Manage rooms, + Create invites, − Kick members').waitFor()
})

test('says how many rooms of a long order it does not name', async () => {
  const { ann, den } = await twoInHouse()
  const ids = [den.room_id]
  while (ids.length < 60) ids.push(await houseRoom(den))
  const resource_pointers = ids.map((resource_id) => ({ resource_type: 'room', resource_id }))
  const path = `/houses/${den.id}/entities/${den.entity_id}`
  for (const order of [resource_pointers, resource_pointers.toReversed()]) {
    await call(ann, 'PATCH', path, { resource_pointers: order })
  }
  const page = await openPage(`/app/houses/${den.id}/settings/audit-log`, { as: ann })
  const row = page.getByRole('main').locator('.rows > li').first()
  await row.locator('summary').click()
  await row.getByText(/^Rooms: .* and 34 more → .* and 34 more$/).waitFor()
})

test('comes in pages, fits a narrow screen, in German too', async () => {
  const { ann, den } = await twoInHouse()
  for (let i = 0; i < 60; i += 1) await call(ann, 'PATCH', `/houses/${den.id}`, { name: `Den ${i}` })
  const phone = { viewport: { width: 375, height: 667 }, isMobile: true, hasTouch: true, locale: 'de-DE' }
  const page = await openPage(`/app/houses/${den.id}/settings/audit-log`, { as: ann, ...phone })
  const rows = page.getByRole('main').locator('.rows > li')
  await expect.poll(() => rows.count()).toBe(50)
  await rows.first().getByText('Haus geändert').waitFor()
  await expectAccessible(page)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
  await page.getByRole('button', { name: 'Mehr' }).click()
  await expect.poll(() => rows.count()).toBe(60)
})

test('names who and what is gone by now', async () => {
  const { ann, bob, den } = await twoInHouse()
  const { id } = (await call(ann, 'POST', `/houses/${den.id}/rooms`, { name: 'attic' })).body.data
  await call(ann, 'DELETE', `/rooms/${id}`)
  await call(ann, 'DELETE', `/houses/${den.id}/members/${bob.id}`)
  const page = await openPage(`/app/houses/${den.id}/settings/audit-log`, { as: ann })
  for (const text of ['Member kicked: Bob', 'Room deleted: attic', 'Room created: attic']) {
    await page.getByText(text).waitFor()
  }
})

test('is for administrators alone', async () => {
  const { bob, den } = await twoInHouse()
  await role(den, { allow: permission.MANAGE_ROOMS, members: [bob] })
  const page = await openPage(`/app/houses/${den.id}/settings/audit-log`, { as: bob })
  await page.getByRole('link', { name: 'Rooms', exact: true }).waitFor()
  expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
})
