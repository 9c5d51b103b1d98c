import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { call, type Person } from '../support/world.ts'
import {
  comeOnline,
  expectAccessible,
  logOf,
  messageOf,
  openPage,
  roomOfMany,
  sendAll,
  settled,
  twoInHouse,
  write,
} from './support.ts'

type World = Awaited<ReturnType<typeof roomOfMany>>

/** What others do in the room. */
function actsIn({ den }: World) {
  const at = (id = '') => `/rooms/${den.room_id}/messages/${id}`
  return {
    send: async (by: Person, content: string): Promise<string> =>
      (await call(by, 'POST', at().slice(0, -1), { content })).body.data.id,
    edit: (by: Person, id: string, content: string) => call(by, 'PATCH', at(id), { content }),
    remove: (by: Person, id: string) => call(by, 'DELETE', at(id)),
  }
}

/** How far the end of the room is below what is in sight, in px. */
function restBelow(page: Page): Promise<number> {
  return logOf(page).evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight)
}

async function topOf(message: Locator): Promise<number> {
  return (await message.boundingBox())?.y ?? Number.NaN
}

const manyLines = Array.from({ length: 12 }, (_, index) => `part ${index}`).join('\n')

test('at the end it stays at the end, whatever comes or grows', async () => {
  const world = await roomOfMany(100)
  const { ann, bob, path } = world
  const { send, edit, remove } = actsIn(world)
  const page = await openPage(path, { as: ann })
  await messageOf(page, 'line 100.').waitFor()
  const expectAtEnd = () => expect.poll(() => restBelow(page)).toBeLessThanOrEqual(1)
  const first = await send(bob, 'first')
  const last = await send(bob, `tall\n${manyLines}`)
  await messageOf(page, 'tall').waitFor()
  await expectAtEnd()
  await edit(bob, first, `first\n${manyLines}`)
  await messageOf(page, 'first').getByText('part 11').waitFor()
  await expectAtEnd()
  await edit(bob, last, 'short')
  await messageOf(page, 'short').waitFor()
  await expectAtEnd()
  await remove(bob, first)
  await expect.poll(() => messageOf(page, 'first').count()).toBe(0)
  await expectAtEnd()
  for (const lowerThanEstimated of ['~~~\nx\n~~~', 'i'.repeat(400)]) {
    const sent = page.waitForResponse(
      (answer) => answer.request().method() === 'POST' && answer.url().includes('/messages'),
    )
    await page.getByRole('textbox', { name: 'Message general' }).fill(lowerThanEstimated)
    await page.keyboard.press('Enter')
    await sent
    await expect.poll(() => page.locator('article[data-state]').count()).toBe(0)
    await expectAtEnd()
  }
  await page.getByRole('textbox', { name: 'Message general' }).fill(manyLines)
  await expectAtEnd()
  await page.setViewportSize({ width: 700, height: 500 })
  await expectAtEnd()
  await messageOf(page, 'short').waitFor()
  const pill = page.getByRole('button', { name: /new message|Jump to present/ })
  await expect.poll(() => pill.count()).toBe(0)
})

test('what comes in sight is not marked as new, what comes elsewhere is', async () => {
  const world = await roomOfMany(100)
  const { ann, bob, path } = world
  const { send } = actsIn(world)
  const page = await openPage(path, { as: ann })
  const mark = logOf(page).getByText('new', { exact: true })
  await messageOf(page, 'line 100.').waitFor()
  const acknowledged = page.waitForResponse(/\/ack$/)
  await send(bob, 'seen')
  await messageOf(page, 'seen').waitFor()
  expect(await mark.count()).toBe(0)
  await acknowledged
  await logOf(page).evaluate((log) => log.scrollTo(0, log.scrollHeight / 2))
  await page.getByRole('button', { name: 'Jump to present' }).waitFor()
  await send(bob, 'missed')
  await page.getByRole('button', { name: '1 new message' }).click()
  await mark.waitFor()
  await settled(page)
  const tops = await Promise.all([messageOf(page, 'seen'), mark, messageOf(page, 'missed')].map(topOf))
  expect(tops).toEqual(tops.toSorted((a, b) => a - b))
})

test('anywhere else nothing moves, whatever comes, goes or grows', async () => {
  const world = await roomOfMany(300)
  const { ann, bob, path, ids } = world
  const { send, edit, remove } = actsIn(world)
  const page = await openPage(`${path}?message=${ids[149]}`, { as: ann })
  const read = messageOf(page, 'line 150.')
  await read.waitFor()
  await expect.poll(() => topOf(read)).toBeGreaterThan(200)
  const authorOf = (number: number) => (Math.floor(number / 5) % 3 === 0 ? ann : bob)
  const above = messageOf(page, 'line 140.')
  await above.waitFor()
  await settled(page)
  const before = await topOf(read)
  const expectUnmoved = async () => {
    await settled(page)
    expect(Math.abs((await topOf(read)) - before)).toBeLessThanOrEqual(1)
  }

  await edit(authorOf(140), ids[139]!, `line 140.\n${manyLines}`)
  await above.getByText('part 11').waitFor()
  await expectUnmoved()
  await remove(authorOf(141), ids[140]!)
  await expect.poll(() => messageOf(page, 'line 141.').count()).toBe(0)
  await expectUnmoved()
  await edit(authorOf(152), ids[151]!, `line 152.\n${manyLines}`)
  await messageOf(page, 'line 152.').getByText('part 11').waitFor()
  await expectUnmoved()
  await send(bob, 'at the end')
  await page.getByText('Bob: at the end').waitFor({ state: 'attached' })
  await expectUnmoved()
  await page.getByRole('textbox', { name: 'Message general' }).fill(manyLines)
  await expectUnmoved()
  // What is not read any more is sent: one's own message leads to the end.
  await write(page, 'mine')
  await messageOf(page, 'mine').waitFor()
  await expect.poll(() => restBelow(page)).toBeLessThanOrEqual(1)
})

test('when the first message in sight is deleted, the others stay', async () => {
  const world = await roomOfMany(300)
  const { ann, bob, path, ids } = world
  const page = await openPage(`${path}?message=${ids[149]}`, { as: ann })
  const read = messageOf(page, 'line 150.')
  await read.waitFor()
  const bounds = await logOf(page).boundingBox()
  // Its first line is above what is in sight.
  await read.evaluate((article) => {
    const log = article.closest('[role=log]')!
    log.scrollTop += article.getBoundingClientRect().top - log.getBoundingClientRect().top + 8
  })
  await expect.poll(() => topOf(read)).toBeLessThan(bounds!.y)
  const next = messageOf(page, 'line 152.')
  await settled(page)
  const before = await topOf(next)
  await actsIn(world).remove(Math.floor(150 / 5) % 3 === 0 ? ann : bob, ids[149]!)
  await expect.poll(() => read.count()).toBe(0)
  await settled(page)
  expect(Math.abs((await topOf(next)) - before)).toBeLessThanOrEqual(1)
})

test('by keyboard: 200 messages upwards one by one, to the first, the last, and by a window', async () => {
  const { ann, path } = await roomOfMany(300)
  const page = await openPage(path, { as: ann })
  await messageOf(page, 'line 300.').waitFor()
  await logOf(page).focus()
  const focused = () =>
    page.evaluate<number>(
      "Number(/line (\\d+)\\./.exec(document.activeElement?.textContent ?? '')?.[1] ?? 0)",
    )
  for (let line = 300; line > 100; line -= 1) {
    await page.keyboard.press('ArrowUp')
    // The next one may still have to be loaded.
    if ((await focused()) !== line) {
      await expect
        .poll(async () => {
          await page.keyboard.press('ArrowUp')
          return focused()
        })
        .toBe(line)
    }
  }
  await expect(messageOf(page, 'line 101.').isVisible()).resolves.toBe(true)
  await page.keyboard.press('End')
  await expect.poll(focused).toBe(300)
  await expect.poll(() => restBelow(page)).toBeLessThanOrEqual(1)
  await page.keyboard.press('PageUp')
  await expect.poll(focused).toBeLessThan(295)
  const above = await focused()
  expect(above).toBeGreaterThan(250)
  await page.keyboard.press('PageDown')
  await expect.poll(focused).toBeGreaterThan(above)
  await page.keyboard.press('Home')
  await expect.poll(focused).toBeLessThanOrEqual(101)
})

test('what has the focus or is being written keeps it, however far one scrolls', async () => {
  const { ann, path } = await roomOfMany(600)
  const page = await openPage(path, { as: ann })
  await messageOf(page, 'line 600.').waitFor()
  const composer = page.getByRole('textbox', { name: 'Message general' })
  await composer.press('ArrowUp')
  const editor = page.getByRole('textbox', { name: 'Edit message' })
  await editor.fill('half a thought')
  for (let round = 0; round < 4; round += 1) {
    await logOf(page).evaluate((log) => log.scrollTo(0, 0))
    await expect.poll(() => logOf(page).evaluate((log) => log.scrollTop)).toBeGreaterThan(0)
  }
  await expect.poll(() => messageOf(page, 'line 570.').count()).toBe(0)
  expect(await page.evaluate('document.activeElement?.ariaLabel')).toBe('Edit message')
  expect(await editor.inputValue()).toBe('half a thought')
  await composer.focus()
  await logOf(page).evaluate((log) => log.scrollTo(0, 0))
  expect(await editor.inputValue()).toBe('half a thought')
})

test('what others write is read out, and not what one scrolls to', async () => {
  const world = await roomOfMany(200)
  const { ann, bob, path } = world
  const page = await openPage(path, { as: ann })
  await messageOf(page, 'line 200.').waitFor()
  await logOf(page).evaluate((log) => log.scrollTo(0, 0))
  await messageOf(page, 'line 140.').waitFor()
  expect(await logOf(page).getAttribute('aria-live')).toBe('off')
  const announced = page.locator('.timeline > [role=status]')
  expect(await announced.innerText()).toBe('')
  await actsIn(world).send(bob, 'hello you')
  await expect.poll(() => announced.innerText()).toBe('Bob: hello you')
})

test('when the connection is made again, what is being read stays, with what has become of it', async () => {
  const world = await roomOfMany(300)
  const { ann, bob, path, ids } = world
  const { send, edit } = actsIn(world)
  const page = await openPage('/app/friends', { as: ann, mayFail: /WebSocket/ })
  let drop = () => {}
  let isAway = false
  await page.routeWebSocket(/\/socket/, (socket) => {
    if (isAway) return void socket.close()
    const server = socket.connectToServer()
    // A login anew instead of what would be resumed.
    socket.onMessage((text) => server.send(String(text).replace('"op":11', '"op":2')))
    drop = () => void socket.close()
  })
  await page.goto(new URL(`${path}?message=${ids[149]}`, page.url()).href)
  const read = messageOf(page, 'line 150.')
  await read.waitFor()
  await expect.poll(() => topOf(read)).toBeGreaterThan(200)
  await expect.poll(() => page.getByText('No connection').count()).toBe(0)
  await settled(page)
  const before = await topOf(read)
  isAway = true
  drop()
  await page.getByText('No connection').waitFor()
  // What is above the timeline then does not move it.
  await expect.poll(async () => Math.abs((await topOf(read)) - before)).toBeLessThanOrEqual(1)
  for (let count = 0; count < 60; count += 1) await send(bob, `meanwhile ${count}`)
  await edit(bob, ids[154]!, 'line 155, another one')
  isAway = false
  await comeOnline(page)
  await page.getByText('No connection').waitFor({ state: 'detached' })
  await messageOf(page, 'another one').waitFor()
  await settled(page)
  expect(Math.abs((await topOf(read)) - before)).toBeLessThanOrEqual(1)
})

test('the end stays in sight when a long text becomes short: a message, a draft', async () => {
  const { ann, bob, den, path } = await roomOfMany(120)
  const page = await openPage('/app/friends', { as: ann })
  // Some browsers do not fit fields to their text, so that the client does.
  await page.context().addInitScript(`
    CSS.supports = () => false
    addEventListener('DOMContentLoaded', () => {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync('textarea { field-sizing: fixed !important }')
      document.adoptedStyleSheets.push(sheet)
    })
  `)
  await page.goto(new URL(path, page.url()).href)
  const [id] = await sendAll(bob, den.room_id, `tall\n${'next\n'.repeat(80)}`)
  await messageOf(page, 'tall').waitFor()
  await settled(page)
  await call(bob, 'PATCH', `/rooms/${den.room_id}/messages/${id}`, { content: 'short' })
  await messageOf(page, 'short').waitFor()
  await settled(page)
  expect(await restBelow(page)).toBeLessThanOrEqual(1)
  const composer = page.getByRole('textbox', { name: 'Message general', exact: true })
  const toPresent = page.getByRole('button', { name: /Jump to present|new message/ })
  for (const draft of ['draft\n'.repeat(12), 'draft']) {
    await composer.fill(draft)
    await settled(page)
    expect(await restBelow(page)).toBeLessThanOrEqual(1)
    expect(await toPresent.count()).toBe(0)
  }
  // Who is above the end is at it once a lower draft leaves room for it.
  await composer.fill('draft\n'.repeat(12))
  await settled(page)
  await logOf(page).evaluate((log) => log.scrollBy(0, -120))
  await toPresent.waitFor()
  await composer.fill('draft')
  await toPresent.waitFor({ state: 'detached' })
})

test('what is said does not cover the way to the end', async () => {
  const { ann, path, ids } = await roomOfMany(120)
  const page = await openPage(path, { as: ann })
  await page.context().grantPermissions(['clipboard-write'])
  for (const width of [1280, 375]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(new URL(`${path}?message=${ids[60]}`, page.url()).href)
    const message = page.locator(`article[data-id="${ids[60]}"]`)
    await message.focus()
    await message.press('Enter')
    await page.getByRole('menuitem', { name: 'Copy text' }).click()
    const [said, pill] = [
      page.locator('.announcement'),
      page.getByRole('button', { name: /Jump to present/ }),
    ]
    await said.getByText('Copied').waitFor()
    const [over, under] = [(await said.boundingBox())!, (await pill.boundingBox())!]
    const isApart =
      over.y + over.height <= under.y || over.x + over.width <= under.x || under.x + under.width <= over.x
    expect(isApart).toBe(true)
    await pill.click()
    await pill.waitFor({ state: 'detached' })
  }
})

test('a reaction that fails is said to have failed, and why', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const [id] = await sendAll(bob, den.room_id, 'hello')
  await call(bob, 'PUT', `/rooms/${den.room_id}/messages/${id}/reactions/${encodeURIComponent('🍕')}`)
  const page = await openPage(path, { as: ann, mayFail: /status of 403|ERR_|Failed to load/ })
  const reaction = messageOf(page, 'hello').getByRole('button', { name: /reacted with 🍕/ })
  await page.route(/\/reactions\//, (route) => route.abort())
  await reaction.click()
  const said = page.getByRole('alert')
  await said.getByText('Your reaction was not changed.').waitFor()
  await page.getByRole('button', { name: '1 person reacted with 🍕', pressed: false }).waitFor()
  await expectAccessible(page)
})
