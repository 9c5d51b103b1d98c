import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { houseRoom, message } from '../support/world.ts'
import { expectAccessible, messageOf, openPage, textOf, twoInHouse, write } from './support.ts'

const phone = { width: 375, height: 667 }
const tablet = { width: 900, height: 700 }
const desk = { width: 1280, height: 800 }

function composerOf(page: Page) {
  return page.getByRole('textbox', { name: 'Message general', exact: true })
}

function roomsOf(page: Page) {
  return page.getByRole('navigation', { name: 'Rooms' })
}

function membersOf(page: Page) {
  return page.getByRole('complementary', { name: 'Members' })
}

test('a window that becomes narrow and wide again keeps the conversation and what is written', async () => {
  const { ann, bob, den } = await twoInHouse()
  await message(den.room_id, bob, { content: 'hello' })
  // Without the room in the address: it is the one that a house begins with.
  const page = await openPage(`/app/houses/${den.id}`, { as: ann, viewport: desk })
  await composerOf(page).fill('half a sent')
  await page.setViewportSize(phone)
  await roomsOf(page).waitFor({ state: 'hidden' })
  await messageOf(page, 'hello').waitFor()
  expect(await composerOf(page).inputValue()).toBe('half a sent')
  expect(await composerOf(page).evaluate((each) => each.matches(':focus'))).toBe(true)
  await page.setViewportSize(tablet)
  await roomsOf(page).waitFor()
  await messageOf(page, 'hello').waitFor()
  await page.setViewportSize(desk)
  await membersOf(page).waitFor()
  expect(await composerOf(page).inputValue()).toBe('half a sent')
})

test('on a phone the first address leads to a conversation, and back to its rooms', async () => {
  const { ann, den } = await twoInHouse()
  const page = await openPage('/app/', { as: ann, viewport: phone })
  await composerOf(page).waitFor()
  await page.getByRole('link', { name: 'Back' }).click()
  await roomsOf(page).getByRole('link', { name: 'general' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/app/houses/${den.id}`)
})

test('on a tablet the members come above the conversation, and Escape gives the focus back', async () => {
  const { ann, path } = await twoInHouse()
  const page = await openPage(path, { as: ann, viewport: tablet })
  const toggle = page.getByRole('button', { name: 'Members' })
  await toggle.focus()
  await page.keyboard.press('Enter')
  await membersOf(page).and(page.locator(':focus')).waitFor()
  const [panel, room] = [await membersOf(page).boundingBox(), await page.locator('.room').boundingBox()]
  expect(Math.round((panel?.x ?? 0) + (panel?.width ?? 0))).toBe(
    Math.round((room?.x ?? 0) + (room?.width ?? 0)),
  )
  await expectAccessible(page)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await membersOf(page).waitFor({ state: 'detached' })
  await toggle.and(page.locator(':focus')).waitFor()
  await toggle.click()
  await membersOf(page).waitFor()
  await page.goBack()
  await membersOf(page).waitFor({ state: 'detached' })
  await composerOf(page).waitFor()
})

test('on a phone a step back leads from the members to the conversation, and on to the rooms', async () => {
  const { ann, bob, den } = await twoInHouse()
  await message(den.room_id, bob, { content: 'hello' })
  const page = await openPage(`/app/houses/${den.id}`, { as: ann, viewport: phone })
  await roomsOf(page)
    .getByRole('link', { name: /general/ })
    .click()
  await page.getByRole('button', { name: 'general: menu' }).click()
  await page.getByRole('button', { name: 'Members' }).click()
  await membersOf(page).getByRole('button', { name: 'Bob' }).waitFor()
  await page.goBack()
  await membersOf(page).waitFor({ state: 'detached' })
  await messageOf(page, 'hello').waitFor()
  await page.getByRole('link', { name: 'Back' }).click()
  await roomsOf(page).waitFor()
  // The way back was a step back: the conversation is ahead.
  await page.goForward()
  await messageOf(page, 'hello').waitFor()
})

/** A finger that goes across the page, by so many pixels. */
async function swipe(page: Page, by: number): Promise<void> {
  const touch = await page.context().newCDPSession(page)
  const at = (x: number) => [{ x, y: 300 }]
  const from = by > 0 ? 60 : 320
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(from) })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(from + by / 2) })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(from + by) })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

test('on a phone a finger leads from the rooms to the conversation and the members, and back', async () => {
  const { ann, den, path } = await twoInHouse()
  await houseRoom(den, { name: 'random' })
  const page = await openPage(path, { as: ann, viewport: phone, hasTouch: true })
  await write(page, 'hello')
  await messageOf(page, 'hello').waitFor()
  await swipe(page, -200)
  await membersOf(page).waitFor()
  await swipe(page, 200)
  await membersOf(page).waitFor({ state: 'detached' })
  await swipe(page, 200)
  await roomsOf(page).getByRole('link', { name: 'random' }).waitFor()
  await swipe(page, -200)
  await messageOf(page, 'hello').waitFor()
})

test('closes the members once, however often one asks before the step back is done', async () => {
  const { ann, path } = await twoInHouse()
  const page = await openPage(path, { as: ann, viewport: phone })
  await page.getByRole('button', { name: 'general: menu' }).click()
  await page.getByRole('button', { name: 'Members' }).click()
  // Keys are heard from then on.
  await membersOf(page).and(page.locator(':focus')).waitFor()
  await page.evaluate(`
    for (let times = 0; times < 3; times += 1) {
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', cancelable: true }))
    }
  `)
  await membersOf(page).waitFor({ state: 'detached' })
  await composerOf(page).waitFor()
  expect(new URL(page.url()).pathname).toBe(path)
})

test('says nothing about the rooms of a house before it has come', async () => {
  const { ann, path } = await twoInHouse()
  const page = await openPage('/app/friends', { as: ann })
  await page.getByRole('heading', { name: 'Add a friend' }).waitFor()
  const late: (() => void)[] = []
  await page.routeWebSocket(/socket/, (socket) => {
    const server = socket.connectToServer()
    server.onMessage((text) => {
      if (textOf(text).includes('"HOUSE_JOIN"')) late.push(() => socket.send(text))
      else socket.send(text)
    })
  })
  await page.goto(new URL(path, page.url()).href)
  await page.getByRole('main').getByText('Loading…').waitFor()
  await expect.poll(() => late.length).toBe(1)
  await page.getByRole('link', { name: 'Settings' }).waitFor()
  expect(await page.getByText('This room is not there').count()).toBe(0)
  for (const send of late) send()
  await composerOf(page).waitFor()
})

test('on a phone the name of a room has room, and its menu what there is no room for', async () => {
  const { ann, den } = await twoInHouse()
  const id = await houseRoom(den, { name: 'announcements' })
  // What a finger touches is larger.
  const touch = { viewport: phone, hasTouch: true, isMobile: true }
  const page = await openPage(`/app/houses/${den.id}/rooms/${id}`, { as: ann, ...touch })
  const name = page.getByRole('heading', { name: 'announcements' })
  await name.waitFor()
  expect(await name.evaluate((each) => each.scrollWidth <= each.clientWidth)).toBe(true)
  const menu = page.getByRole('button', { name: 'announcements: menu' })
  await menu.click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Pinned messages' }).click()
  await page.getByRole('dialog', { name: 'Pinned messages' }).getByText('Nothing is pinned').waitFor()
  await page.keyboard.press('Escape')
  await menu.click()
  await page.getByRole('button', { name: 'Members' }).click()
  await membersOf(page).getByRole('button', { name: 'Bob' }).waitFor()
  await page.getByRole('button', { name: 'Members' }).click()
  await membersOf(page).waitFor({ state: 'detached' })
})

test('on a phone what one writes has the whole width', async () => {
  const { ann, path } = await twoInHouse()
  const page = await openPage(path, { as: ann, viewport: phone })
  const widthOf = async () => (await composerOf(page).boundingBox())!.width
  await composerOf(page).fill('a word')
  await expect.poll(widthOf).toBeGreaterThan(320)
  await expectAccessible(page)
  await page.setViewportSize(desk)
  const send = page.getByRole('button', { name: 'Send' })
  const bottomOf = async (each: Locator) => {
    const { y, height } = (await each.boundingBox())!
    return y + height
  }
  // Beside a wide field stand its buttons.
  await expect.poll(async () => (await bottomOf(composerOf(page))) - (await bottomOf(send))).toBe(0)
})
