import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../src/ids.ts'
import { call, db, houseRoom, role } from '../support/world.ts'
import { expectAccessible, openPage, twoInHouse } from './support.ts'

test('shows a member, gives a role, whose colour the name takes, and kicks', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const roleId = await role(den, { position: 1 })
  await call(ann, 'PATCH', `/houses/${den.id}/roles/${roleId}`, { name: 'Helper', color: 'ffff00' })
  const page = await openPage(path, { as: ann })
  const member = page.getByRole('complementary', { name: 'Members' }).getByRole('button', { name: 'Bob' })
  await member.click()
  const dialog = page.getByRole('dialog', { name: 'Bob' })
  await dialog.getByRole('button', { name: 'Message' }).waitFor()
  await expectAccessible(page)
  await dialog.getByRole('checkbox', { name: 'Helper' }).click()
  await expect.poll(() => dialog.getByRole('checkbox', { name: 'Helper' }).isChecked()).toBe(true)
  await expect.poll(() => member.locator('.cut').getAttribute('style')).toContain('light-dark(')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expectAccessible(page)
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/members.png` })

  await member.click()
  await dialog.getByRole('button', { name: 'Kick' }).click()
  await page.getByRole('dialog', { name: 'Kick' }).getByRole('button', { name: 'Kick' }).click()
  await member.waitFor({ state: 'detached' })
  expect((await call(bob, 'GET', `/houses/${den.id}`)).status).toBe(404)
})

test('who may not, is not offered to kick, to ban or to give roles', async () => {
  const { bob, den, path } = await twoInHouse()
  await role(den, { position: 1 })
  const page = await openPage(path, { as: bob })
  const members = page.getByRole('complementary', { name: 'Members' })
  await members.getByRole('button', { name: 'Ann' }).click()
  const dialog = page.getByRole('dialog', { name: 'Ann' })
  await dialog.getByRole('button', { name: 'Add as friend' }).click()
  await dialog.getByRole('button', { name: 'Withdraw' }).waitFor()
  expect(await dialog.getByRole('button', { name: /Kick|Ban/ }).count()).toBe(0)
  expect(await dialog.getByRole('checkbox').count()).toBe(0)
})

test('a long list of members shows the next ones as one scrolls, and stays there in another room', async () => {
  const { ann, den, path } = await twoInHouse()
  const ids = Array.from({ length: 150 }, () => newId())
  await sql`insert into users (id, username, name, email)
    select id, 'cat' || id, 'Cat ' || lpad(number::text, 3, '0'), id || '@example.org'
    from unnest(${ids}::bigint[]) with ordinality as them (id, number)`.execute(db)
  await sql`insert into members (house_id, user_id)
    select ${den.id}::bigint, id from unnest(${ids}::bigint[]) as them (id)`.execute(db)
  await houseRoom(den, { name: 'kitchen' })
  const page = await openPage(path, { as: ann })
  const members = page.getByRole('complementary', { name: 'Members' })
  await members.getByText('151', { exact: true }).waitFor()
  const last = members.getByRole('button', { name: 'Cat 150' })
  expect(await last.count()).toBe(0)
  await members.getByRole('button').last().scrollIntoViewIfNeeded()
  await last.scrollIntoViewIfNeeded()
  await page.getByRole('link', { name: 'kitchen' }).click()
  await page.getByRole('textbox', { name: 'Message kitchen' }).waitFor()
  const list = await members.boundingBox()
  const box = await last.boundingBox()
  expect(box!.y).toBeLessThan(list!.y + list!.height)
})
