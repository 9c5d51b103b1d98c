import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { call, role } from '../support/world.ts'
import { expectAccessible, openPage, twoInHouse } from './support.ts'

test('creates a role, edits its permissions, and gives it to a member', async () => {
  const { ann, bob, den } = await twoInHouse()
  const page = await openPage(`/app/houses/${den.id}/settings/roles`, { as: ann })
  await page.getByRole('button', { name: 'Create a role' }).click()
  await page.getByLabel('Role name').fill('Gardeners')
  // Not those that allow nothing.
  expect(await page.getByRole('dialog').getByRole('combobox').count()).toBe(14)
  expect(await page.getByRole('dialog').getByLabel('Manage billing').count()).toBe(0)
  await page.getByRole('dialog').getByLabel('Manage rooms').selectOption('Allow')
  await page.getByRole('dialog').getByLabel('Attach files').selectOption('Deny')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'Edit: Gardeners' }).waitFor()
  const [made] = (await call(ann, 'GET', `/houses/${den.id}/roles`)).body.data
  expect(made).toMatchObject({ allow: permission.MANAGE_ROOMS, deny: permission.ATTACH_MEDIA })
  await expectAccessible(page)

  await page.getByRole('link', { name: 'Members', exact: true }).click()
  await page.getByRole('button', { name: 'Roles: Bob' }).click()
  await page.getByLabel('Gardeners').check()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Gardeners' }).waitFor()
  const { data } = (await call(ann, 'GET', `/houses/${den.id}/members/${bob.id}`)).body
  expect(data.roles.map(({ name }: { name: string }) => name)).toEqual(['Gardeners'])
  await expectAccessible(page)
})

test('bans a member, lifts the ban, and revokes an invite', async () => {
  const { ann, bob, den } = await twoInHouse()
  await call(ann, 'POST', `/houses/${den.id}/invites`, {})
  const page = await openPage(`/app/houses/${den.id}/settings/members`, { as: ann })
  await page.getByLabel('Find members').fill('bo')
  // Her own row goes, and his moves up.
  await page
    .getByRole('listitem')
    .filter({ hasText: `@${ann.username}` })
    .waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Ban: Bob' }).click()
  await page.getByLabel('Reason').fill('spam')
  await page.getByRole('dialog').getByRole('button', { name: 'Ban', exact: true }).click()
  await page.getByText('Nobody found.').waitFor()
  await page.getByRole('link', { name: 'Bans', exact: true }).click()
  await page.getByText('spam').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Lift ban: Bob' }).click()
  await page.getByText('Nobody is banned.').waitFor()
  expect((await call(bob, 'GET', `/houses/${den.id}`)).status).not.toBe(200)
  // It can be undone, with the reason that there was.
  await page.getByText('Bob is no longer banned.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('spam').waitFor()
  await page.getByRole('button', { name: 'Lift ban: Bob' }).click()
  await page.getByText('Nobody is banned.').waitFor()
  await page.getByRole('link', { name: 'Invites', exact: true }).click()
  await page.getByRole('button', { name: /^Revoke: / }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('There are no invites.').waitFor()
  expect((await call(ann, 'GET', `/houses/${den.id}/invites`)).body.data).toEqual([])
})

test('shows the same invite link again, to whom manages invites and to whom does not', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await role(den, { allow: permission.CREATE_INVITES, members: [bob] })
  for (const who of [ann, bob]) {
    const page = await openPage(path, { as: who, ...(who === bob && { mayFail: /404/ }) })
    const link = page.getByRole('textbox', { name: 'Invite link' })
    const open = async () => {
      await page.getByRole('button', { name: 'Den: menu' }).click()
      await page.getByRole('button', { name: 'Invite people' }).click()
      await expect.poll(() => link.inputValue()).not.toBe('')
      const shown = await link.inputValue()
      await page.keyboard.press('Escape')
      return shown
    }
    const first = await open()
    expect(await open()).toBe(first)
    await page.reload()
    expect(await open()).toBe(first)
    await call(ann, 'DELETE', `/invites/${first.split('/').at(-1)}`)
    expect(await open()).not.toBe(first)
  }
  expect((await call(ann, 'GET', `/houses/${den.id}/invites`)).body.data).toHaveLength(2)
})

test('offers what one may do, and only about those below', async () => {
  const { ann, bob, den } = await twoInHouse()
  await role(den, { allow: permission.KICK_MEMBERS, position: 3, members: [bob] })
  const page = await openPage(`/app/houses/${den.id}/settings`, { as: bob })
  await page.getByLabel('Find members').waitFor()
  await page.getByText(`@${ann.username}`).waitFor()
  const links = page.getByRole('navigation', { name: 'House settings' }).getByRole('link')
  expect(await links.allInnerTexts()).toEqual(['Members'])
  expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
})
