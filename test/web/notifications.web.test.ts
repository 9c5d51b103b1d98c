import { expect, test } from 'vitest'
import { call, db, type Person, user } from '../support/world.ts'
import { messageOf, openPage, origin, twoInHouse } from './support.ts'

/** A browser without a screen shows none: they are noted. */
const fakeNotifications = `
  window.notified = []
  window.Notification = class {
    static permission = 'granted'
    static requestPermission = async () => 'granted'
    constructor(title, { body }) { notified.push(title + ': ' + body) }
    close() { notified.push('closed') }
  }
`

test('a mention is notified of until it is read elsewhere, other messages are not', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage('/app/friends', { as: ann })
  await page.context().addInitScript(fakeNotifications)
  await page.goto(`${origin}/app/settings`)
  await page.getByRole('combobox', { name: 'Notifications of the browser' }).selectOption('on')
  await page.goto(`${origin}/app/friends`)
  await page.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()
  const notified = () => page.evaluate('notified')
  const say = (content: string) => call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content })
  await say('for nobody')
  await say(`for <@${ann.id}>`)
  await expect.poll(notified).toEqual([expect.stringMatching(/^Bob · #general: for @/)])
  await expect.poll(() => page.title()).toMatch(/^\(1\)/)
  expect(await page.locator('link[rel="icon"]').getAttribute('href')).toBe('/app/icon-mark.svg')

  // Read on another device, it goes.
  const second = await openPage(path, { as: ann })
  await messageOf(second, 'for @').waitFor()
  await expect.poll(notified).toContain('closed')
  expect(await page.locator('link[rel="icon"]').getAttribute('href')).toBe('/app/icon.svg')
})

test('log-out closes notifications, and blocked people cause none', async () => {
  const { ann, bob, den } = await twoInHouse()
  const eve = await user({ name: 'Eve' })
  await db.insertInto('members').values({ house_id: den.id, user_id: eve.id }).execute()
  expect((await call(ann, 'PUT', `/relationships/@me/blocked/${eve.id}`)).status).toBe(200)
  const page = await openPage('/app/friends', { as: ann })
  await page.context().addInitScript(fakeNotifications)
  await page.reload()
  await page.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()
  const say = (by: Person, content: string) => {
    return call(by, 'POST', `/rooms/${den.room_id}/messages`, { content })
  }
  await say(eve, `first <@${ann.id}>`)
  await say(bob, `second <@${ann.id}>`)
  const notified = () => page.evaluate('notified')
  const first = expect.stringMatching(/^Bob · #general: second @/)
  await expect.poll(notified).toEqual([first])
  expect(await page.title()).toMatch(/^\(1\)/)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('button', { name: 'Log in' }).waitFor()
  await expect.poll(notified).toEqual([first, 'closed'])
})

test('where pages may not show any, the worker does, and a click leads to the message', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage('/app/friends', { as: ann, serviceWorkers: 'allow' })
  // As in Chromium on phones. A browser without a screen refuses those of the worker too: they are noted only.
  await page.context().addInitScript(`
    window.Notification = class {
      static permission = 'granted'
      constructor() { throw new TypeError('Illegal constructor') }
    }
    window.notified = []
    Object.assign(ServiceWorkerRegistration.prototype, {
      async showNotification(title, options) {
        notified.push({ title, ...options, close: () => notified.shift() })
      },
      async getNotifications({ tag } = {}) {
        return notified.filter((each) => tag === undefined || each.tag === tag)
      },
    })
  `)
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  await page.reload()
  await page.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()
  const content = `for <@${ann.id}>`
  const { body } = await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content })
  const shown = () => page.evaluate("notified.map(({ title, body }) => title + ': ' + body)")
  await expect.poll(shown).toEqual([`Bob · #general: for @${ann.username}`])

  const data = await page.evaluate('notified[0].data')
  const worker = page.context().serviceWorkers()[0] ?? (await page.context().waitForEvent('serviceworker'))
  await worker.evaluate(`dispatchEvent(Object.assign(new ExtendableEvent('notificationclick'), {
    notification: { data: ${JSON.stringify(data)}, close() {} },
  }))`)
  await messageOf(page, 'for @').waitFor()
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(`${path}?message=${body.data.id}`)
  await expect.poll(shown).toEqual([])
})
