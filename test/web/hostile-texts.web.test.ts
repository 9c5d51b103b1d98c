import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { sendMedia } from '../support/media.ts'
import { filePart } from '../support/multipart.ts'
import { call, houseRoom, type Person, role } from '../support/world.ts'
import { openPage, origin, twoInHouse } from './support.ts'

/** Short enough for every name. */
const hostile = '<img src=x onerror=hacked=1>'

async function ask(who: Person, method: 'POST' | 'PATCH', path: string, body: object) {
  const answer = await call(who, method, path, body)
  expect([path, answer.status]).toEqual([path, 200])
  return answer.body.data
}

/** The text stands on the page as it is, and nothing has come of it. */
async function expectHarmless(page: Page, places = 1): Promise<void> {
  await expect.poll(() => page.getByText(hostile).count()).toBeGreaterThanOrEqual(places)
  expect(await page.evaluate("'hacked' in window")).toBe(false)
  expect(await page.locator('img[src="x"], #app script').count()).toBe(0)
}

/** Everything that people can name in a house is named so. */
async function hostileHouse() {
  const { ann, bob, den, path } = await twoInHouse()
  for (const who of [ann, bob]) {
    await ask(who, 'PATCH', '/users/@me', { name: hostile, bio: hostile, location: hostile })
  }
  await ask(ann, 'PATCH', `/houses/${den.id}`, { name: hostile, description: hostile })
  const roleId = await role(den, { position: 1, members: [bob] })
  await ask(ann, 'PATCH', `/houses/${den.id}/roles/${roleId}`, { name: hostile, color: 'ff0000' })
  await ask(ann, 'POST', `/houses/${den.id}/entities`, { name: hostile })
  const roomId = await houseRoom(den, { name: hostile })
  await ask(ann, 'PATCH', `/rooms/${roomId}`, { name: hostile, description: hostile })
  const say = (content: string) => ask(bob, 'POST', `/rooms/${roomId}/messages`, { content })
  const address = `${origin}/app/houses/${den.id}/rooms/${roomId}`
  for (const content of [hostile, `**${hostile}**`, 'javascript:alert(1)', 'data:text/html,x', address]) {
    await say(content)
  }
  await say(`findable <@${ann.id}> ${hostile}`)
  const named = hostile.replaceAll('"', '')
  expect((await sendMedia(bob, roomId, filePart('text', named, 'text/html'))).status).toBe(200)
  return { ann, bob, den, path, roomId, address }
}

test('no name or text of people runs or becomes HTML where one chats', async () => {
  const { ann, roomId, address } = await hostileHouse()
  const page = await openPage(address, { as: ann })
  const log = page.getByRole('log')
  await log.getByRole('link', { name: `File ${hostile}` }).waitFor()
  await log.getByRole('link', { name: `#${hostile}` }).waitFor()
  // Only these two lead somewhere.
  expect(await log.getByRole('link').count()).toBe(2)
  await page.getByRole('heading', { name: hostile }).first().waitFor()
  await page.getByRole('complementary', { name: 'Members' }).getByText(hostile).first().waitFor()
  await page.getByRole('navigation', { name: 'Rooms' }).getByText(hostile).nth(2).waitFor()
  await expectHarmless(page, 10)

  await log.getByRole('button', { name: hostile, exact: true }).first().click()
  // Name, bio, location and role.
  await expect.poll(() => page.getByRole('dialog').getByText(hostile).count()).toBe(4)
  await expectHarmless(page)
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: /^Message / }).pressSequentially('#<')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('searchbox').fill('findable')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByRole('list', { name: 'Hits' }).getByText(hostile).first().waitFor()
  await expectHarmless(page)
  await page.getByRole('complementary', { name: 'Search' }).getByRole('button', { name: 'Close' }).click()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Go to' }).getByText(hostile).first().waitFor()
  await expectHarmless(page)
  expect((await call(ann, 'GET', `/rooms/${roomId}/messages`)).body.data.length).toBe(7)
})

test('nor on the other pages, in settings, or before one has logged in', async () => {
  const { ann, bob, den } = await hostileHouse()
  await ask(bob, 'POST', '/relationships/@me/friend-requests', { user_id: ann.id })
  const { user: bot } = await ask(ann, 'POST', '/bots', { username: 'hostile-bot', name: hostile })
  expect(bot.name).toBe(hostile)
  const { code } = await ask(ann, 'POST', `/houses/${den.id}/invites`, {})
  const page = await openPage('/app/friends', { as: ann })
  await page.getByText(hostile).first().waitFor()
  await expectHarmless(page, 2)
  const settings = `houses/${den.id}/settings`
  for (const [place, text] of [
    ['mentions', page.getByText(hostile)],
    ['settings/bots', page.getByText(hostile)],
    ['settings/profile', page.getByRole('textbox', { name: 'About you' })],
    [settings, page.getByRole('textbox', { name: 'House name' })],
    [`${settings}/rooms`, page.getByText(hostile)],
    [`${settings}/roles`, page.getByText(hostile)],
    [`${settings}/members`, page.getByText(hostile)],
    [`${settings}/invites`, page.getByText(hostile)],
    [`${settings}/overrides`, page.getByText(hostile)],
  ] as const) {
    await page.goto(`${origin}/app/${place}`)
    await text.first().waitFor()
    await expectHarmless(page, 0)
  }
  await ask(ann, 'POST', '/relationships/@me/friend-requests', { user_id: bob.id })
  await ask(ann, 'POST', '/users/@me/rooms', { recipients: [bob.id], name: hostile })
  await page.goto(`${origin}/app/private`)
  await page.getByRole('link', { name: hostile }).first().waitFor()
  await expectHarmless(page)

  const stranger = await openPage(`/app/invite/${code}`)
  await stranger.getByRole('heading', { name: `You are invited to ${hostile}` }).waitFor()
  await expectHarmless(stranger)
})
