import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { call, house, houseRoom } from '../support/world.ts'
import { messageOf, openPage, origin, roomOfMany, textOf, twoInHouse } from './support.ts'

test('back leads to the room before, also to one that a house opened with', async () => {
  const { ann, den, path } = await twoInHouse()
  const other = await houseRoom(den, { name: 'other' })
  const page = await openPage('/app/friends', { as: ann })
  const at = () => new URL(page.url()).pathname
  const houseLink = page.getByRole('navigation', { name: 'Houses' }).getByRole('link', { name: 'Den' })
  await houseLink.click()
  await page.getByRole('textbox', { name: 'Message general' }).waitFor()
  await expect.poll(at).toBe(path)
  await page.getByRole('link', { name: 'other' }).click()
  await page.getByRole('textbox', { name: 'Message other' }).waitFor()
  await houseLink.click()
  expect(at()).toBe(`/app/houses/${den.id}/rooms/${other}`)
  await page.goBack()
  await page.getByRole('textbox', { name: 'Message general' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()
})

test('back from a quoted message leads to where one was', async () => {
  const { ann, bob, den, path, ids } = await roomOfMany(200)
  const url = `/rooms/${den.room_id}/messages`
  await call(bob, 'POST', url, { content: 'the answer', reply_to_id: ids[0] })
  const page = await openPage(path, { as: ann })
  const jump = () =>
    messageOf(page, 'the answer')
      .getByRole('link', { name: /In reply to/ })
      .click()
  const target = page.locator('.message[data-target]')
  await jump()
  await target.filter({ hasText: 'line 1.' }).waitFor()
  await page.goBack()
  const answer = messageOf(page, 'the answer')
  await expect.poll(() => inSight(answer)).toBe(true)
  expect(await target.count()).toBe(0)

  // Also from where the messages at the end are not loaded, to the middle of them.
  await page.goto(`${origin}${path}?message=${ids[100]}`)
  const middle = messageOf(page, 'line 101.')
  await expect.poll(() => inSight(middle)).toBe(true)
  await call(bob, 'PATCH', `${url}/${ids[100]}`, { content: `line 101. ${origin}${path}?message=${ids[0]}` })
  await middle.getByRole('link').click()
  await target.filter({ hasText: 'line 1.' }).waitFor()
  await page.goBack()
  await expect.poll(() => inSight(middle)).toBe(true)
  await page.goForward()
  await expect.poll(() => inSight(target.filter({ hasText: 'line 1.' }))).toBe(true)
})

async function inSight(message: Locator): Promise<boolean> {
  const box = await message.boundingBox()
  return box !== null && box.y >= 0 && box.y + box.height <= 800
}

test('who goes on before a page has settled stays where they went', async () => {
  const { ann, den, path } = await twoInHouse()
  const page = await openPage('/app/friends', { as: ann })
  await page.getByRole('navigation', { name: 'Houses' }).getByRole('link', { name: 'Den' }).waitFor()
  // As soon as anything of the room is in the page, before anything else runs.
  await page.evaluate(`
    const link = (path) => document.querySelector('a[href="/app/' + path + '"]')
    const observer = new MutationObserver(() => {
      observer.disconnect()
      link('private').click()
    })
    observer.observe(document.body, { childList: true, subtree: true })
    link('houses/${den.id}').click()
  `)
  await page.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/app/private')
  await page.goBack()
  await page.getByRole('textbox', { name: 'Message general' }).waitFor()
  await expect.poll(() => new URL(page.url()).pathname).toBe(path)
})

test('the client starts in the room that was open last, also where its house comes late', async () => {
  const { ann } = await twoInHouse()
  const { id, room_id } = await house({ owner: ann })
  const path = `/app/houses/${id}/rooms/${room_id}`
  const page = await openPage(path, { as: ann })
  const composer = page.getByRole('textbox', { name: 'Message general' })
  await composer.waitFor()
  // As if the last visit was long ago, before its houses were kept.
  await page.addInitScript("localStorage.removeItem('hearth.last-visit')")
  const late: (() => void)[] = []
  await page.routeWebSocket(/socket/, (socket) => {
    const server = socket.connectToServer()
    server.onMessage((text) => {
      const frame = textOf(text)
      if (frame.includes('"HOUSE_JOIN"') && frame.includes(id)) late.push(() => socket.send(text))
      else socket.send(text)
    })
  })
  await page.goto(new URL('/app/', page.url()).href)
  await expect.poll(() => late.length).toBe(1)
  await page.getByRole('link', { name: 'Settings' }).waitFor()
  await page.getByRole('main').getByText('Loading…').waitFor()
  for (const send of late) send()
  await composer.waitFor()
  expect(new URL(page.url()).pathname).toBe(path)
})
