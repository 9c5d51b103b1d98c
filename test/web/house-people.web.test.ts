import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { expire, inviteTo } from '../support/invites.ts'
import { call, role, user } from '../support/world.ts'
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

test('creates an invite with limits, which the list of invites shows at once', async () => {
  const { ann, den } = await twoInHouse()
  const page = await openPage(`/app/houses/${den.id}/settings/invites`, { as: ann })
  await page.getByRole('button', { name: 'Invite people' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite people' })
  await dialog.getByText('Invite with limits').click()
  await dialog.getByLabel('Expires after').selectOption({ label: '1 hour' })
  await dialog.getByLabel('Maximum number of uses').fill('1')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create invite' }).click()
  const link = dialog.getByLabel('Invite link with limits')
  await dialog.getByText(/^1 person can join with it · runs out/).waitFor()
  const code = (await link.inputValue()).split('/').at(-1)
  const { max_uses, max_age } = (await call(null, 'GET', `/invites/${code}`)).body.data.invite
  expect([max_uses, max_age]).toEqual([1, 3_600])
  await page.keyboard.press('Escape')
  await page.getByText(/0 uses of 1 · runs out/).waitFor()
})

test('an invite says what holds before it is tried', async () => {
  const { ann, bob, den } = await twoInHouse()
  const mayFail = /status of 404/
  const cem = await user({ name: 'Cem' })
  await call(ann, 'PUT', `/houses/${den.id}/bans/${cem.id}`, {})
  const code = await inviteTo(den, { max_uses: 1 })
  const banned = await openPage(`/app/invite/${code}`, { as: cem })
  await banned.getByText('You are banned from this house').waitFor()
  expect(await banned.getByRole('button', { name: /Join/ }).count()).toBe(0)
  await expectAccessible(banned)
  const inside = await openPage(`/app/invite/${code}`, { as: bob })
  await inside.getByRole('link', { name: 'Open Den' }).click()
  await inside.getByRole('heading', { name: 'general', level: 1 }).waitFor()
  await call(await user(), 'POST', `/invites/${code}`)
  const late = await openPage(`/app/invite/${code}`, { as: await user(), mayFail })
  await late.getByText('This invite has no uses left').waitFor()
  await expire(code)
  await late.reload()
  await late.getByText('This invite has run out').waitFor()
  await call(ann, 'POST', `/houses/${den.id}/invites`, {})
  await late.reload()
  await late.getByText('There is no such invite').waitFor()
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
