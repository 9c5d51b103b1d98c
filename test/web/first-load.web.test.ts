import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, messageOf, openPage, sendAll, twoInHouse } from './support.ts'

/** Holds back what the gateway says to a page, from its next connection on, until `release` is called. */
async function holdGateway(page: Page) {
  const urls: string[] = []
  /** The opcodes of what the page sent. */
  const sent: number[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.routeWebSocket(/\/socket/, (socket) => {
    urls.push(socket.url())
    const server = socket.connectToServer()
    socket.onMessage((text) => {
      sent.push(JSON.parse(String(text)).op)
      server.send(text)
    })
    server.onMessage(async (frame) => {
      await released
      socket.send(frame)
    })
  })
  return { urls, sent, release }
}

test('a room is loaded beside the login, compressed, once, and with what is sent meanwhile', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await sendAll(bob, den.room_id, 'before')
  const page = await openPage('/app/log-in')
  const { urls, sent, release } = await holdGateway(page)
  await page.evaluate((token) => localStorage.setItem('hearth.token', token), ann.token)
  // It does not wait for the gateway.
  const loaded = page.waitForResponse(/\/messages\?/)
  await page.goto(new URL(path, page.url()).href)
  await loaded
  // No event tells of it.
  await sendAll(bob, den.room_id, 'meanwhile')
  release()
  await messageOf(page, 'before').waitFor()
  await messageOf(page, 'meanwhile').waitFor()
  await page.getByRole('complementary', { name: 'Members' }).getByText('Bob').waitFor()
  expect(urls).toEqual([expect.stringMatching(/compression=zlib$/)])
  // The members have come with the house.
  expect(sent).not.toContain(7)
})

test('the names of the last visit are there at once, until one logs out', async () => {
  const { ann, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  await page.getByText('Nobody has written here yet.').waitFor()
  const { release } = await holdGateway(page)
  await page.reload()
  await page.getByRole('navigation', { name: 'Houses' }).getByRole('link', { name: 'Den' }).waitFor()
  await page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: 'general' }).waitFor()
  await page.getByRole('heading', { name: 'general' }).waitFor()
  await page.getByRole('main').getByText('Loading…').waitFor()
  await expectAccessible(page)
  release()
  await page.getByText('Nobody has written here yet.').waitFor()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('heading', { name: 'Log in to Hearth' }).waitFor()
  await page.goto(new URL('/app/', page.url()).href)
  await page.getByRole('heading', { name: 'Log in to Hearth' }).waitFor()
  expect(
    await page.evaluate("Object.keys(localStorage).filter((key) => localStorage[key].includes('Den'))"),
  ).toEqual([])
})
