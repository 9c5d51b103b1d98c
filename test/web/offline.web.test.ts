import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WebSocketRoute } from 'playwright-core'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { freePort, type Server, startServer } from '../support/server.ts'
import { call, databaseUrl } from '../support/world.ts'
import {
  comeOnline,
  expectAccessible,
  messageOf,
  noteStatus,
  openPage,
  sent,
  twoInHouse,
  write,
} from './support.ts'

const folder = await mkdtemp(join(tmpdir(), 'hearth-offline-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A server that can be started again at the address it had. */
async function restartable(): Promise<() => Promise<Server>> {
  const environment = { DATABASE_URL: databaseUrl, PORT: String(await freePort()) }
  let server: Server | undefined
  onTestFinished(async () => void (await server?.end('SIGKILL')))
  return async () => (server = await startServer(folder, { environment }))
}

test('what is written while the server is killed is sent once and in order, also after the page was closed', async () => {
  const { ann, den, path } = await twoInHouse()
  const start = await restartable()
  let server = await start()
  const address = `${server.origin}${path}`
  const options = { as: ann, mayFail: /ERR_|WebSocket|Failed to load/ }
  const page = await openPage(address, options)
  await write(page, 'first')
  await messageOf(page, 'first').waitFor()
  await server.end('SIGKILL')
  await page.getByText('No connection. What you write is kept and sent later.').waitFor()
  for (const text of ['second', 'third', 'fourth']) await write(page, text)
  await messageOf(page, 'fourth').getByText('Waiting to be sent').waitFor()
  const state = await page.context().storageState({ indexedDB: true })
  await page.close()

  server = await start()
  const later = await openPage(address, { ...options, as: undefined, storageState: state })
  await messageOf(later, 'fourth').waitFor()
  await expect.poll(() => contents(den.room_id)).toEqual(['first', 'second', 'third', 'fourth'])
  await expect.poll(() => messageOf(later, 'second').count()).toBe(1)

  async function contents(roomId: string): Promise<string[]> {
    const { body } = await call(ann, 'GET', `/rooms/${roomId}/messages`)
    return body.data.map((message: { content: string }) => message.content).reverse()
  }

  // The same page goes on by itself when the server comes back.
  await server.end('SIGKILL')
  await write(later, 'fifth')
  await messageOf(later, 'fifth').getByText('Waiting to be sent').waitFor()
  server = await start()
  await expect.poll(() => contents(den.room_id)).toContain('fifth')
  await expect.poll(() => messageOf(later, 'fifth').getByText('Waiting to be sent').count()).toBe(0)
  await later.getByText('No connection.').waitFor({ state: 'detached' })
})

test('a message that the server takes makes the connection again at once', async () => {
  const { ann, path } = await twoInHouse()
  const start = await restartable()
  let server = await start()
  const mayFail = /ERR_|WebSocket|Failed to load/
  const page = await openPage(`${server.origin}${path}`, { as: ann, mayFail })
  await write(page, 'first')
  await messageOf(page, 'first').waitFor()
  await page.clock.install()
  await server.end('SIGKILL')
  const banner = page.getByText('No connection.')
  await banner.waitFor()
  // From now on no time passes for the page: by itself it would wait for ever.
  await page.clock.pauseAt(Date.now() + 3_600_000)
  await banner.waitFor()
  server = await start()
  await write(page, 'second')
  await banner.waitFor({ state: 'detached' })
  await page.clock.resume()
  await messageOf(page, 'second').waitFor()
})

test('while only websockets are blocked, the page says so, and goes on by itself', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage('/app/friends', { as: ann, mayFail: /WebSocket/ })
  const open: WebSocketRoute[] = []
  let isBlocked = false
  await page.routeWebSocket(/\/socket/, (socket) => {
    if (isBlocked) return void socket.close()
    open.push(socket)
    socket.connectToServer()
  })
  await page.goto(new URL(path, page.url()).href)
  await page.getByText('Nobody has written here yet.').waitFor()
  isBlocked = true
  await open[0]!.close()
  const banner = page.getByText('The server answers, but websockets to it are blocked')
  await banner.waitFor()
  await expectAccessible(page)
  await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'meanwhile' })
  isBlocked = false
  await comeOnline(page)
  await banner.waitFor({ state: 'detached' })
  await messageOf(page, 'meanwhile').waitFor()
})

test('without a connection an edit stays open with its text, and is saved later', async () => {
  const { ann, path } = await twoInHouse()
  const start = await restartable()
  let server = await start()
  const page = await openPage(`${server.origin}${path}`, {
    as: ann,
    mayFail: /ERR_|WebSocket|Failed to load/,
  })
  await write(page, 'first words')
  await sent(page, 'first words')
  await server.end('SIGKILL')
  await page.getByText('No connection. What you write is kept and sent later.').waitFor()
  await page.getByRole('textbox', { name: 'Message general' }).press('ArrowUp')
  const editor = page.getByRole('textbox', { name: 'Edit message' })
  await editor.fill('second words')
  await editor.press('Enter')
  await page
    .getByText('No connection. What you write is kept, and can be saved once you are connected.')
    .waitFor()
  server = await start()
  await comeOnline(page)
  await page.getByText('Enter saves, Esc leaves.').waitFor()
  expect(await editor.inputValue()).toBe('second words')
  await editor.press('Enter')
  await messageOf(page, 'second words').getByText('edited').waitFor()
})

test('what was written in a house that one is no longer in is shown, to be copied or deleted', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage(path, { as: bob, mayFail: /status of 404/ })
  await page.getByText('Nobody has written here yet.').waitFor()
  const composer = page.getByRole('textbox', { name: 'Message general' })
  await page.route(/messages\?/, async (route) => {
    if (route.request().method() === 'POST') {
      await composer.fill('a draft')
      await call(ann, 'DELETE', `/houses/${den.id}/members/${bob.id}`)
    }
    await route.continue()
  })
  await write(page, 'a message')
  const texts = page.getByRole('main').getByRole('listitem')
  const shown = ['a message', 'a draft']
  await page.getByText('What you wrote there was not sent').waitFor()
  await expect.poll(() => texts.getByRole('paragraph').allTextContents()).toEqual(shown)
  await expectAccessible(page)
  await page.reload()
  await expect.poll(() => texts.getByRole('paragraph').allTextContents()).toEqual(shown)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const said = await noteStatus(page)
  await texts.first().getByRole('button', { name: 'Copy text' }).click()
  await expect.poll(said).toContain('Copied')
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('a message')
  for (const _ of shown) await texts.first().getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => texts.count()).toBe(0)
  await page.reload()
  await page.getByText('This house is not there, or you are not in it.').waitFor()
  await expect.poll(() => page.evaluate(countKept)).toBe(0)
  expect(await texts.count()).toBe(0)
})

/** How many messages on their way outlive the page. */
const countKept = `new Promise((resolve) => {
  const opening = indexedDB.open('hearth')
  opening.onsuccess = () => {
    const counting = opening.result.transaction('outbox').objectStore('outbox').count()
    counting.onsuccess = () => resolve(counting.result)
  }
})`

test('opened without a server, the page says so, shows what waits, and goes on by itself', async () => {
  const { ann, den, path } = await twoInHouse()
  const start = await restartable()
  let server = await start()
  const address = `${server.origin}${path}`
  const options = { as: ann, mayFail: /ERR_|WebSocket|Failed to load/, serviceWorkers: 'allow' } as const
  const page = await openPage(address, options)
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  await page.reload()
  await write(page, 'first')
  await messageOf(page, 'first').waitFor()
  await expect.poll(() => page.evaluate(countKept)).toBe(0)
  await server.end('SIGKILL')
  await page.getByText('No connection.').waitFor()
  for (const text of ['second', 'third']) await write(page, text)
  await messageOf(page, 'third').getByText('Waiting to be sent').waitFor()
  await expect.poll(() => page.evaluate(countKept)).toBe(2)
  const later = await page.context().newPage()
  await page.close()
  await later.goto(address)
  await later.getByText('No connection. What you write is kept and sent later.').waitFor()
  await later.getByRole('heading', { name: '2 messages wait to be sent' }).waitFor()
  expect(await later.getByRole('main').getByRole('listitem').allTextContents()).toEqual(['second', 'third'])
  expect(await later.getByText('Loading…').count()).toBe(0)
  await expectAccessible(later)

  await later.evaluate('window.stayed = true')
  server = await start()
  for (const text of ['first', 'second', 'third']) {
    await expect.poll(() => messageOf(later, text).count()).toBe(1)
  }
  await later.getByText('No connection.').waitFor({ state: 'detached' })
  const sent = async () => {
    const { body } = await call(ann, 'GET', `/rooms/${den.room_id}/messages`)
    return body.data.map((message: { content: string }) => message.content).reverse()
  }
  await expect.poll(sent).toEqual(['first', 'second', 'third'])
  expect(await later.evaluate('window.stayed')).toBe(true)
})

test('a message that is refused stays, and can be tried again or deleted', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage(path, { as: bob, mayFail: /status of 400/ })
  await messageOf(page, 'x').or(page.getByText('Nobody has written here yet. Say hello.')).waitFor()
  // The page does not know yet that Bob may not write any more.
  const route = /\/rooms\/\d+\/messages\?/
  await page.route(route, (each) =>
    each.request().method() === 'POST'
      ? each.fulfill({
          status: 400,
          json: { success: false, error: { code: 'no_permission', message: 'No' } },
        })
      : each.continue(),
  )
  for (const text of ['one', 'two']) {
    await write(page, text)
    await messageOf(page, text).getByText('Not sent. You may not write in this room.').waitFor()
  }
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const said = await noteStatus(page)
  await messageOf(page, 'two').getByRole('button', { name: 'Copy text' }).click()
  await expect.poll(said).toContain('Copied')
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('two')
  await page.unroute(route)
  await messageOf(page, 'two').getByRole('button', { name: 'Delete' }).click()
  await messageOf(page, 'two').waitFor({ state: 'detached' })
  await messageOf(page, 'one').getByRole('button', { name: 'Try again' }).click()
  await expect
    .poll(async () => (await call(ann, 'GET', `/rooms/${den.room_id}/messages`)).body.data.length)
    .toBe(1)
})

test('that the browser has no network is said at once, and is over as soon as it has one', async () => {
  const { ann, path } = await twoInHouse()
  const page = await openPage(path, { as: ann, mayFail: /ERR_|WebSocket|Failed to load/ })
  await page.getByText('Nobody has written here yet.').waitFor()
  const banner = page.getByText('No connection. What you write is kept and sent later.')
  // No time passes in the page: what is said, no timer has brought.
  await page.clock.install()
  await page.context().setOffline(true)
  await banner.waitFor()
  await write(page, 'written meanwhile')
  await messageOf(page, 'written meanwhile').getByText('Waiting to be sent').waitFor()
  await page.clock.resume()
  await page.context().setOffline(false)
  await banner.waitFor({ state: 'detached' })
  await sent(page, 'written meanwhile')
  // A server on this machine answers without a network, too.
  await page.evaluate("dispatchEvent(new Event('offline'))")
  await banner.waitFor({ state: 'detached' })
  await write(page, 'all the same')
  await sent(page, 'all the same')
})
