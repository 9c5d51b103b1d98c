import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { call, houseRoom } from '../support/world.ts'
import {
  expectAccessible,
  logOf,
  messageOf,
  openPage,
  origin,
  sendAll,
  sent,
  settled,
  twoInHouse,
  write,
} from './support.ts'

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}.`)
}

test('older messages come without moving what is read', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await sendAll(bob, den.room_id, ...numbered(130))
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'the end' })
  const page = await openPage(path, { as: ann })
  await messageOf(page, 'the end').waitFor()
  const first = messageOf(page, 'line 90.')
  await logOf(page).evaluate((element) => element.scrollBy(0, -900))
  await first.scrollIntoViewIfNeeded()
  await settled(page)
  const before = await first.boundingBox()
  // A message comes at the end, and the window gets lower: nothing moves.
  await sendAll(bob, den.room_id, 'later')
  await page.getByRole('button', { name: /new message/ }).waitFor()
  await settled(page)
  expect((await first.boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 0)

  const scrollUp = async () => {
    await logOf(page).evaluate((element) => element.scrollTo(0, 0))
    return messageOf(page, 'line 1.').count()
  }
  await expect.poll(scrollUp).toBe(1)
  await page.getByText('This is where general begins.').waitFor()
  await page.getByRole('button', { name: /new message/ }).click()
  await messageOf(page, 'later').waitFor()
  await expect.poll(() => page.getByRole('button', { name: /new message|Jump/ }).count()).toBe(0)
})

test('a room whose newest message is gone is unread while others are left, and read once its end was seen', async () => {
  const { ann, bob, den } = await twoInHouse()
  const random = await houseRoom(den, { name: 'random' })
  const empty = await houseRoom(den, { name: 'empty' })
  await sendAll(bob, den.room_id, 'stays')
  for (const room of [den.room_id, empty]) {
    const [gone] = await sendAll(bob, room, 'goes')
    await call(bob, 'DELETE', `/rooms/${room}/messages/${gone}`)
  }
  const page = await openPage(`/app/houses/${den.id}/rooms/${random}`, { as: ann })
  const second = await openPage(`/app/houses/${den.id}/rooms/${random}`, { as: ann })
  const unread = { name: 'general , unread' }
  await second.getByRole('link', unread).waitFor()
  await second.getByRole('link', { name: 'empty', exact: true }).waitFor()
  await page.getByRole('link', unread).click()
  // The other device learns it from the server.
  await second.getByRole('link', { name: 'general', exact: true }).waitFor()
  await page.getByRole('link', { name: 'random', exact: true }).click()
  await page.getByRole('log', { name: 'Messages in random' }).waitFor()
  await expect.poll(() => page.getByRole('link', { name: /unread/ }).count()).toBe(0)
})

test('what is sent where the messages could not be loaded is shown, with those before it', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await sendAll(bob, den.room_id, 'before')
  const page = await openPage('/app/friends', { as: ann, mayFail: /status of 503/ })
  const came = new Promise<void>((resolve) => {
    page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => String(payload).includes('MESSAGE_CREATE') && resolve())
    })
  })
  let fails = true
  let shown = 0
  await page.route(/\/messages\?/, async (route) => {
    if (route.request().method() === 'GET') return fails ? route.fulfill({ status: 503 }) : route.continue()
    const response = await route.fetch()
    await came
    await settled(page)
    shown = await messageOf(page, 'mine').count()
    fails = false
    await route.fulfill({ response })
  })
  await page.goto(`${origin}${path}`)
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await write(page, 'mine')
  await sent(page, 'mine')
  // It was there all the time, also between its event and the answer.
  expect(shown).toBe(1)
  await messageOf(page, 'before').waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
})

test('a link leads to a message among many, and back to the present', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const ids = await sendAll(bob, den.room_id, ...numbered(160))
  const page = await openPage(`${path}?message=${ids[19]}`, { as: ann })
  await messageOf(page, 'line 20.').waitFor()
  await expect.poll(() => isInSight(page, 'line 20.')).toBe(true)
  await page.getByRole('button', { name: /new message|Jump to present/ }).click()
  await expect.poll(() => isInSight(page, 'line 160.')).toBe(true)
})

test('older messages that come while a room is being opened do not lead away from what is new', async () => {
  const { ann, bob, den } = await twoInHouse()
  const random = await houseRoom(den, { name: 'random' })
  const ids = await sendAll(bob, den.room_id, ...numbered(160))
  await call(ann, 'POST', `/rooms/${den.room_id}/messages/${ids[149]}/ack`)
  const page = await openPage(`/app/houses/${den.id}/rooms/${random}`, { as: ann })
  await page.getByRole('log', { name: 'Messages in random' }).waitFor()
  // The first position is set over several frames, of which none comes before the older messages.
  await page.evaluate(`
    frame = requestAnimationFrame.bind(window)
    frames = []
    requestAnimationFrame = (callback) => frames.push(callback)
  `)
  const older = page.waitForResponse(/messages\?.*before=/)
  await page.getByRole('link', { name: /general/ }).click()
  await older
  const isNewInSight = `new Promise((resolve) => {
    requestAnimationFrame = frame
    for (const callback of frames) frame(callback)
    const later = (count) => (count > 0 ? frame(() => later(count - 1)) : resolve(isInSight()))
    const isInSight = () => {
      const { top = -1, bottom = -1 } = document.querySelector('.new-mark')?.getBoundingClientRect() ?? {}
      return top >= 0 && bottom <= innerHeight
    }
    later(8)
  })`
  expect(await page.evaluate(isNewInSight)).toBe(true)
})

/** Whether a message is within the window. */
async function isInSight(page: Page, text: string): Promise<boolean> {
  const box = await messageOf(page, text).boundingBox()
  return box !== null && box.y >= 0 && box.y + box.height <= 800
}

test('says who is typing, keeps a draft over a reload, and where one may not write', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const quiet = await houseRoom(den, { name: 'quiet', default_deny: 1 })
  const page = await openPage(path, { as: ann })
  const other = await openPage(path, { as: bob })
  await page.getByRole('textbox', { name: 'Message general' }).waitFor()
  const composer = other.getByRole('textbox', { name: 'Message general' })
  // It is shown for some seconds only.
  await expect
    .poll(async () => {
      await composer.fill('not')
      await composer.pressSequentially(' yet')
      return page.getByText('Bob is typing…').count()
    })
    .toBe(1)
  await other.reload()
  await expect.poll(() => composer.inputValue()).toBe('not yet')
  await other.goto(`${origin}/app/houses/${den.id}/rooms/${quiet}`)
  await other.getByText('You may not write in this room.').waitFor()
})

test('by keyboard: arrows move by message, Enter opens a menu of its actions', async () => {
  const { ann, den, path } = await twoInHouse()
  await sendAll(ann, den.room_id, 'one', 'two', 'three')
  const page = await openPage(path, { as: ann })
  await messageOf(page, 'three').waitFor()
  await logOf(page).focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  const focused = () => page.evaluate('document.activeElement?.textContent')
  await expect.poll(focused).toContain('two')
  await page.keyboard.press('Enter')
  const menu = page.getByRole('menu', { name: 'Actions' })
  await menu.waitFor()
  expect(await menu.getByRole('menuitem').allTextContents()).toEqual([
    'Reply',
    'Add reaction',
    'Edit',
    'Copy text',
    'Copy link',
    'Pin',
    'Delete',
    'About Ann',
  ])
  await expect.poll(focused).toBe('Reply')
  await expectAccessible(page)
  await page.keyboard.press('ArrowUp')
  expect(await focused()).toBe('About Ann')
  await page.keyboard.press('Escape')
  await expect.poll(focused).toContain('two')

  await page.keyboard.press('Enter')
  await expect.poll(focused).toBe('Reply')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const editor = page.getByRole('textbox', { name: 'Edit message' })
  await editor.fill('second')
  await editor.press('Enter')
  // One of a run says so too, below its text, and has its time beside it.
  const second = messageOf(page, 'second')
  await second.getByText('edited').waitFor()
  const boxOf = async (part: string) => (await second.locator(part).boundingBox())!
  const [time, content] = [await boxOf('time'), await boxOf('.content')]
  expect(time.x + time.width).toBeLessThanOrEqual(content.x)
})

test('what is sent and deleted while a room is being loaded is not lost', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const [gone] = await sendAll(bob, den.room_id, 'soon deleted', 'stays')
  const page = await openPage('/app/friends', { as: ann })
  await page.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()
  let pass = () => {}
  const held = new Promise<void>((resolve) => {
    pass = resolve
  })
  let asked = false
  await page.route(/\/messages\?/, async (route) => {
    const response = await route.fetch()
    asked = true
    await held
    await route.fulfill({ response })
  })
  await page.getByRole('link', { name: 'Den' }).click()
  await expect.poll(() => asked).toBe(true)
  await write(page, 'mine')
  await call(bob, 'DELETE', `/rooms/${den.room_id}/messages/${gone}`)
  await sendAll(bob, den.room_id, 'last')
  const sent = async () => (await call(ann, 'GET', `/rooms/${den.room_id}/messages`)).body.data
  await expect.poll(async () => (await sent()).length).toBe(3)
  const other = await openPage(path, { as: bob })
  await messageOf(other, 'mine').waitFor()
  pass()
  for (const text of ['stays', 'mine', 'last']) await messageOf(page, text).waitFor()
  await expect.poll(() => messageOf(page, 'soon deleted').count()).toBe(0)
})
