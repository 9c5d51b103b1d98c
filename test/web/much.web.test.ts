import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newId } from '../../src/ids.ts'
import { fillMemberships } from '../support/houses.ts'
import { call, type Den, db, friends, group, house, message, role, user } from '../support/world.ts'
import { openPage, twoInHouse } from './support.ts'

const phone = { width: 375, height: 667 }
const desk = { width: 1280, height: 800 }
/** Names without a space, as long as a username may be. */
const longName = 'Donaudampfschifffahrtsgesellscha'
const longUsername = longName.toLowerCase()
/** For what takes long by itself. */
const patience = { timeout: 120_000 }

/** Whether something is within the window, as tall as that is. */
async function isInSight(thing: Locator, page: Page): Promise<boolean> {
  const box = await thing.boundingBox()
  return box !== null && box.y >= 0 && box.y + box.height <= (page.viewportSize()?.height ?? 0)
}

/** Adds rooms to a house: "room 1" and so on. */
async function addRooms(den: Den, count: number) {
  const rooms = Array.from({ length: count }, (_, index) => ({
    id: newId(),
    house_id: den.id,
    name: `room ${index + 1}`,
    type: 0,
    position: index + 1,
  }))
  await db.insertInto('rooms').values(rooms).execute()
  const pointers = rooms.map(({ id, position }) => ({ room_id: id, entity_id: den.entity_id, position }))
  await db.insertInto('entity_rooms').values(pointers).execute()
  return rooms
}

test('of 300 rooms the open one is in sight, and the head of the list stays', async () => {
  const { ann, den } = await twoInHouse()
  const rooms = await addRooms(den, 299)
  for (const viewport of [desk, phone]) {
    const page = await openPage(`/app/houses/${den.id}/rooms/${rooms[249]?.id}`, { as: ann, viewport })
    const list = page.getByRole('navigation', { name: 'Rooms' })
    if (viewport === phone) await page.getByRole('link', { name: 'Back' }).click()
    const open = list.getByRole('link', { name: 'room 250', exact: true })
    await open.waitFor()
    if (viewport === desk) await expect.poll(() => isInSight(open, page)).toBe(true)
    await list.getByRole('link', { name: 'room 299' }).scrollIntoViewIfNeeded()
    expect(await isInSight(list.getByRole('heading', { name: 'Den' }), page)).toBe(true)
    expect(await isInSight(page.getByRole('link', { name: 'Settings' }), page)).toBe(true)
  }
})

test('in a house of 300 rooms, Tab comes to the composer in few steps, and arrows go through the rooms', async () => {
  const { ann, den, path } = await twoInHouse()
  await addRooms(den, 299)
  for (let count = 1; count <= 30; count += 1) {
    await message(den.room_id, ann, { content: `https://example.org/${count}` })
  }
  const page = await openPage(path, { as: ann })
  await page.getByRole('link', { name: 'https://example.org/30', exact: true }).waitFor()
  const composer = page.getByRole('textbox', { name: 'Message general' })
  const isOn = (thing: Locator) => thing.and(page.locator(':focus')).count()
  /** The stops on the way from the beginning of the page, or from its end. */
  const stopsTo = async (thing: Locator, key: string) => {
    await page.locator('.shell').evaluate((shell) => shell.focus())
    for (let count = 1; count <= 20; count += 1) {
      await page.keyboard.press(key)
      if ((await isOn(thing)) > 0) return count
    }
    return Number.POSITIVE_INFINITY
  }
  expect(await stopsTo(composer, 'Tab')).toBeLessThanOrEqual(14)
  await page.keyboard.press('Shift+Tab')
  expect(await isOn(page.getByRole('log'))).toBe(1)
  // The links of a message are stops once it has the focus.
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Tab')
  expect(await isOn(page.getByRole('link', { name: 'https://example.org/30', exact: true }))).toBe(1)
  await page.keyboard.press('Tab')
  expect(await isOn(composer)).toBe(1)

  expect(await stopsTo(page.getByRole('link', { name: 'Skip to content' }), 'Tab')).toBe(1)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  expect(await isOn(composer)).toBe(1)

  const rooms = page.getByRole('navigation', { name: 'Rooms' })
  const room = (name: string) => rooms.getByRole('link', { name, exact: true })
  expect(await stopsTo(room('general'), 'Tab')).toBeLessThanOrEqual(6)
  await page.keyboard.press('ArrowDown')
  expect(await isOn(room('room 1'))).toBe(1)
  await page.keyboard.press('End')
  expect(await isOn(room('room 299'))).toBe(1)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'room 299' }).waitFor()
  expect(await room('room 299').evaluate((link) => link.tabIndex)).toBe(0)
  expect(await rooms.locator('.rooms-list [tabindex="0"]').count()).toBe(1)
})

test('of 200 houses the open one is in sight', async () => {
  const { ann, bob, path } = await twoInHouse()
  await fillMemberships(bob, ann, 199)
  const page = await openPage(path, { as: bob })
  const rail = page.getByRole('navigation', { name: 'Houses' })
  await expect.poll(() => rail.locator('[data-item]').count(), patience).toBe(200)
  const last = rail.getByRole('link', { name: 'Full' }).last()
  await last.click()
  await page.reload()
  await expect.poll(() => rail.locator('[data-item]').count(), patience).toBe(200)
  await expect.poll(() => isInSight(last, page)).toBe(true)
  expect(await isInSight(page.getByRole('link', { name: 'Settings' }), page)).toBe(true)
})

/** What reaches beyond the sides of the window, or of what it scrolls in; what is made to scroll that way apart. */
function findOverflow(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('body *')].filter((each) => {
    const style = getComputedStyle(each)
    const scrolls = /auto|scroll/.test(style.overflowX) && each.scrollWidth > each.clientWidth + 1
    const { left, right, width } = each.getBoundingClientRect()
    const isShown = width > 1 && style.visibility !== 'hidden' && !each.closest('pre, svg, .visually-hidden, .page .sections, .with-sections > nav')
    return isShown && (scrolls || left < -1 || right > innerWidth + 1)
  }).map((each) => each.outerHTML.slice(0, 120))`)
}

test('names without a space stay within their places, from either side', async () => {
  const ann = await user({ name: longName, username: longUsername })
  const bob = await user({ name: `${longName}2`, username: `${longUsername.slice(1)}2` })
  await friends(ann, bob)
  const den = await house({ owner: ann, members: [bob] })
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: longName, description: longName })
  await call(ann, 'PATCH', `/rooms/${den.room_id}`, { name: longName, description: longName })
  await call(ann, 'PATCH', `/houses/${den.id}/entities/${den.entity_id}`, { name: longName })
  const roleId = await role(den, { members: [bob] })
  await call(ann, 'PATCH', `/houses/${den.id}/roles/${roleId}`, { name: longName })
  const invite = await call(ann, 'POST', `/houses/${den.id}/invites`, {})
  await message(den.room_id, bob, { content: `${longName}${longName}`, mentions: [ann] })
  const crew = await group(ann, bob)
  await call(ann, 'PATCH', `/rooms/${crew}`, { name: longName })
  const sections = ['overview', 'rooms', 'roles', 'members', 'invites', 'overrides', 'bots', 'owner']
  const places = [
    `houses/${den.id}/rooms/${den.room_id}`,
    `houses/${den.id}`,
    `private/${crew}`,
    'private',
    'friends',
    'mentions',
    `invite/${invite.body.data.code}`,
    ...['', '/profile', '/account', '/sessions'].map((section) => `settings${section}`),
    ...sections.map((section) => `houses/${den.id}/settings/${section}`),
  ]
  const found: string[] = []
  for (const viewport of [phone, desk]) {
    const page = await openPage('/app/friends', { as: ann, viewport })
    for (const direction of ['ltr', 'rtl']) {
      for (const place of places) {
        await page.evaluate(
          `history.pushState(null, '', '/app/${place}'); dispatchEvent(new PopStateEvent('popstate'))`,
        )
        await page.evaluate(`document.documentElement.dir = '${direction}'`)
        await page.locator('h1').first().waitFor()
        await page.getByText('Loading…').waitFor({ state: 'detached' })
        for (const each of await findOverflow(page))
          found.push(`${viewport.width} ${direction} ${place}: ${each}`)
        if (process.env.SHOTS) {
          const name = `${viewport.width}-${direction}-${place.replaceAll(/\d{5,}/g, '').replaceAll('/', '-')}`
          await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` })
        }
      }
    }
  }
  expect(found).toEqual([])
})
