import { expect, test } from 'vitest'
import { password, resident } from '../support/accounts.ts'
import { call, house, houseRoom, user } from '../support/world.ts'
import { expectAccessible, messageOf, openPage, sent, twoInHouse, write } from './support.ts'

test('who writes too fast sees when to go on, and keeps what is written', async () => {
  const { ann, bob, path } = await twoInHouse()
  const page = await openPage(path, { as: ann, mayFail: /status of 429/ })
  const other = await openPage(path, { as: bob })
  await page.getByText('Nobody has written here yet.').waitFor()
  // Time passes only where it says so, however slow the machine is.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  const route = /\/rooms\/\d+\/messages\?/
  await page.route(route, (each) =>
    each.fulfill({
      status: 429,
      headers: { 'Retry-After': '30' },
      json: { success: false, error: { code: 'rate_limit', message: 'Slow down' } },
    }),
  )
  await write(page, 'one')
  const countdown = page.getByRole('timer')
  const seconds = async () => Number(/in (\d+) s\.$/.exec((await countdown.textContent()) ?? '')?.[1])
  await expect.poll(seconds).toBe(30)
  await page.unroute(route)
  await write(page, 'two')
  const composer = page.getByRole('textbox', { name: 'Message general' })
  expect(await composer.inputValue()).toBe('two')
  await page.clock.runFor(10_500)
  await expect.poll(seconds).toBe(20)
  expect(await messageOf(other, 'one').count()).toBe(0)

  await page.clock.runFor(21_000)
  await messageOf(other, 'one').waitFor()
  await expect.poll(() => countdown.count()).toBe(0)
  await composer.press('Enter')
  await messageOf(other, 'two').waitFor()
  expect(await composer.inputValue()).toBe('')
})

test('an emptied message asks whether to delete, and is there still without a yes', async () => {
  const { ann, bob, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  const other = await openPage(path, { as: bob })
  await write(page, 'regretted')
  await messageOf(other, 'regretted').waitFor()
  await sent(page, 'regretted')
  await page.getByRole('textbox', { name: 'Message general' }).press('ArrowUp')
  const editor = page.getByRole('textbox', { name: 'Edit message' })
  await editor.fill(' ')
  await editor.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Delete message' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await messageOf(other, 'regretted').count()).toBe(1)
  await editor.press('Enter')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await messageOf(other, 'regretted').waitFor({ state: 'detached' })
  await messageOf(page, 'regretted').waitFor({ state: 'detached' })
})

test('a deleted person, a room that is gone, a house that one is removed from: a sentence, and a way on', async () => {
  const ann = await user({ name: 'Ann' })
  const bob = await user({ name: 'Bob' })
  const gone = await resident('leaver')
  const den = await house({ owner: ann, members: [bob, gone] })
  const path = `/app/houses/${den.id}/rooms/${den.room_id}`
  const soon = await houseRoom(den, { name: 'soon gone' })
  await call(gone, 'POST', `/rooms/${den.room_id}/messages`, { content: 'farewell' })
  // What the page asks for at that moment is gone.
  const options = { as: bob, mayFail: /status of 404/ }
  const page = await openPage(`/app/houses/${den.id}/rooms/${soon}`, options)
  await page.getByRole('textbox', { name: 'Message soon gone' }).fill('half a sentence')
  await call(ann, 'DELETE', `/rooms/${soon}`)
  await page.getByText('This room is not there, or you may not see it.').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'To the start' }).click()
  await messageOf(page, 'farewell').waitFor()
  expect(new URL(page.url()).pathname).toBe(path)

  await call(ann, 'DELETE', `/houses/${den.id}/members/${bob.id}`)
  await page.getByText('This house is not there, or you are not in it.').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'To the start' }).click()
  await page.getByText('You have no houses yet.').waitFor()

  const owner = await openPage(path, { as: ann, mayFail: /status of 40/ })
  await messageOf(owner, 'farewell').waitFor()
  expect((await call(gone, 'DELETE', '/users/@me', { password })).status).toBe(200)
  await messageOf(owner, 'farewell').getByRole('button', { name: 'leaver' }).click()
  await owner.getByRole('dialog').getByText('This account was deleted.').waitFor()
  expect(await owner.getByRole('dialog').getByRole('button').count()).toBe(1)
})

test('messages that the server refuses to load: a sentence, and another attempt', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'behind it' })
  const page = await openPage('/app/friends', { as: ann, mayFail: /status of (?:403|404|503)/ })
  await page.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()
  const refusals = [
    { status: 403, code: 'no_permission', text: 'This room is not there, or you may not see it.' },
    { status: 503, code: 'unavailable', text: 'The server is busy or restarting. Try again in a moment.' },
    { status: 404, code: 'room_not_found', text: 'This room is not there, or you may not see it.' },
  ]
  const retry = page.getByRole('button', { name: 'Try again' })
  for (const { status, code, text } of refusals) {
    await page.route(/\/rooms\/\d+\/messages/, (route) =>
      route.fulfill({ status, json: { success: false, error: { code, message: 'No' } } }),
    )
    if (status === 403) await page.getByRole('link', { name: 'Den' }).click()
    else await retry.click()
    await page.getByRole('alert').getByText(text).waitFor()
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0)
    await page.unrouteAll()
  }
  await expectAccessible(page)
  expect(new URL(page.url()).pathname).toBe(path)
  await retry.click()
  await messageOf(page, 'behind it').waitFor()
  await expect.poll(() => page.getByRole('alert').count()).toBe(0)
})

test('an address that names no page, house, room or message: a sentence, and a way on', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage('/app/rooms/abc', { as: ann })
  for (const wrong of ['/app/rooms/abc', '/app/houses/%00', '/app/houses/x"]/rooms/1', '/app/nothing']) {
    await page.goto(new URL(wrong, page.url()).href)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  }
  await expectAccessible(page)
  await page.getByRole('link', { name: 'To the start' }).click()
  await page.getByRole('textbox', { name: 'Message general' }).waitFor()

  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'before' })
  const { body } = await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'gone' })
  await call(bob, 'DELETE', `/rooms/${den.room_id}/messages/${body.data.id}`)
  await page.goto(new URL(`${path}?message=${body.data.id}`, page.url()).href)
  await page.getByText('This message is gone.').waitFor()
  await messageOf(page, 'before').waitFor()

  for (const section of ['nonsense', 'constructor']) {
    await page.goto(new URL(`/app/settings/${section}`, page.url()).href)
    await page.getByRole('combobox', { name: 'Theme' }).waitFor()
    expect(await page.getByRole('link', { name: 'General' }).getAttribute('aria-current')).toBe('page')
    await page.goto(new URL(`/app/houses/${den.id}/settings/${section}`, page.url()).href)
    await page.getByRole('textbox', { name: 'House name' }).waitFor()
  }
})
