import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { pushSubscription } from '../support/push-keys.ts'
import { call, db, type Person } from '../support/world.ts'
import { expectAccessible, openPage, serverWith, twoInHouse } from './support.ts'

const pushing = await serverWith({ vapidSubject: 'mailto:ops@hearth.test' })

/** A browser whose push service is not reached: subscriptions are made of fixed keys, and are noted. */
const fakePushes = `
  window.Notification = class {
    static permission = 'granted'
    static requestPermission = async () => Notification.permission
    constructor() { throw new TypeError('Illegal constructor') }
  }
  const made = () => JSON.parse(localStorage.getItem('made') ?? 'null')
  const present = () => made() && {
    endpoint: made().endpoint,
    options: { applicationServerKey: Uint8Array.from(made().key).buffer },
    toJSON: () => ({ expirationTime: null, ...made() }),
    unsubscribe: async () => { localStorage.removeItem('made'); return true },
  }
  Object.assign(PushManager.prototype, {
    async getSubscription() { return present() },
    async subscribe({ userVisibleOnly, applicationServerKey }) {
      if (!userVisibleOnly) throw new Error('not visible')
      const count = Number(localStorage.getItem('count')) + 1
      localStorage.setItem('count', count)
      localStorage.setItem('made', JSON.stringify({
        endpoint: '${pushSubscription.endpoint}/' + localStorage.getItem('hearth.token').slice(0, 8) + count,
        keys: ${JSON.stringify(pushSubscription.keys)},
        key: [...applicationServerKey],
      }))
      return present()
    },
  })
`

async function settingsOf(person: Person, script = ''): Promise<Page> {
  const page = await openPage(pushing, { as: person, serviceWorkers: 'allow' })
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  await page.context().addInitScript(fakePushes + script)
  await page.goto(`${pushing}/app/settings`)
  await page.getByRole('heading', { name: 'Notifications while Hearth is closed' }).waitFor()
  return page
}

function rowsOf({ id }: Person) {
  return db
    .selectFrom('push_subscriptions')
    .select(['id', 'endpoint', 'session_id'])
    .where('user_id', '=', id)
    .execute()
}

const turnOn = (page: Page) => page.getByRole('button', { name: 'Turn on' }).click()

test('pushes to a device are turned on and off in the settings', async () => {
  const { ann } = await twoInHouse()
  await call(ann, 'PATCH', '/users/@me/settings', { enable_desktop_notifications: false })
  const page = await settingsOf(ann)
  await expectAccessible(page)
  await turnOn(page)
  await page.getByText('also when no page of Hearth is open').waitFor()
  const made = JSON.parse((await page.evaluate("localStorage.getItem('made')")) as string)
  expect(await rowsOf(ann)).toMatchObject([{ endpoint: made.endpoint, session_id: ann.session_id }])
  const { body } = await call(ann, 'GET', '/users/@me/settings')
  expect(body.data.enable_desktop_notifications).toBe(true)
  const { public_key } = await db.selectFrom('vapid_keys').select('public_key').executeTakeFirstOrThrow()
  expect(Buffer.from(made.key).toString('base64url')).toBe(public_key)

  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('button', { name: 'Turn on' }).waitFor()
  expect(await page.evaluate("localStorage.getItem('made')")).toBeNull()
  await expect.poll(() => rowsOf(ann)).toEqual([])
})

test('a browser that allows no notifications, or cannot subscribe, is explained', async () => {
  const { ann } = await twoInHouse()
  const denied = await settingsOf(ann, "Notification.permission = 'denied'")
  await turnOn(denied)
  await denied.getByRole('alert').getByText('Allow them in its settings').waitFor()
  const broken = await settingsOf(ann, 'PushManager.prototype.subscribe = () => Promise.reject(new Error())')
  await turnOn(broken)
  await broken.getByRole('alert').getByText('could not register').waitFor()
  expect(await rowsOf(ann)).toEqual([])
})

test('where the server offers no push, nothing about it is shown', async () => {
  const { ann } = await twoInHouse()
  const page = await openPage('/app/settings', { as: ann, serviceWorkers: 'allow' })
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  // No answer of before is taken for the one that comes after.
  await page.reload({ waitUntil: 'commit' })
  const answer = await page.waitForResponse((response) => response.url().endsWith('/v1/server'))
  expect((await answer.json()).data.push_key).toBeNull()
  await page.getByRole('combobox', { name: 'Notifications of the browser' }).waitFor()
  expect(await page.getByRole('heading', { name: 'Notifications while Hearth is closed' }).count()).toBe(0)
})

test('a subscription that the browser has replaced is sent again, and log-out ends it', async () => {
  const { ann } = await twoInHouse()
  const page = await settingsOf(ann)
  await turnOn(page)
  await page.getByRole('button', { name: 'Turn off' }).waitFor()
  const [before] = await rowsOf(ann)
  await page.evaluate("localStorage.removeItem('made')")
  await page.reload()
  await expect.poll(() => page.evaluate("localStorage.getItem('made')")).not.toBeNull()
  const made = JSON.parse((await page.evaluate("localStorage.getItem('made')")) as string)
  expect(made.endpoint).not.toBe(before!.endpoint)
  await expect
    .poll(() => rowsOf(ann))
    .toEqual([{ ...before, id: expect.any(String), endpoint: made.endpoint }])
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('button', { name: 'Log in' }).waitFor()
  expect(await rowsOf(ann)).toEqual([])
  await expect.poll(() => page.evaluate("localStorage.getItem('made')")).toBeNull()
  expect(await page.evaluate("localStorage.getItem('hearth.push')")).toBeNull()
})

test('another person at the same browser is not pushed what was for the one before', async () => {
  const { ann, bob } = await twoInHouse()
  const page = await settingsOf(ann)
  await turnOn(page)
  await page.getByRole('button', { name: 'Turn off' }).waitFor()
  await page.evaluate(`localStorage.setItem('hearth.token', '${bob.token}')`)
  await page.reload()
  await page.getByRole('button', { name: 'Turn on' }).waitFor()
  expect(await page.evaluate("localStorage.getItem('made')")).toBeNull()
  expect(await rowsOf(bob)).toEqual([])
})

test('the worker shows pushes as one notification of each room, and closes what was read', async () => {
  const { ann, den, path } = await twoInHouse()
  const page = await openPage('/app/friends', { as: ann, serviceWorkers: 'allow' })
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  await page.reload()
  const worker = page.context().serviceWorkers()[0] ?? (await page.context().waitForEvent('serviceworker'))
  // A browser without a screen shows none: they are noted.
  await worker.evaluate(`
    self.shown = new Map()
    Object.assign(ServiceWorkerRegistration.prototype, {
      async showNotification(title, options) {
        shown.set(options.tag, { title, ...options, close: () => shown.delete(options.tag) })
      },
      async getNotifications({ tag } = {}) {
        return [...shown.values()].filter((each) => tag === undefined || each.tag === tag)
      },
    })`)
  const session = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      if (registrations[0]) resolve(registrations[0].registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  const registrationId = await registered
  const deliver = (push: object) =>
    session.send('ServiceWorker.deliverPushMessage', {
      origin: new URL(page.url()).origin,
      registrationId,
      data: JSON.stringify(push),
    })
  const shown = () => worker.evaluate("[...shown.values()].map(({ title, body }) => title + ': ' + body)")
  const { id: house_id, room_id } = den
  const about = { type: 'message', author: 'Bob', house: 'Den', room: 'general', house_id, room_id }
  await deliver({ ...about, message_id: '10', text: 'hello', count: 1 })
  await expect.poll(shown).toEqual(['Bob · #general: hello'])
  await deliver({ ...about, message_id: '11', text: 'again', count: 2 })
  await expect.poll(shown).toEqual(['Bob · #general (2): again'])
  const other = { ...about, house_id: null, house: null, room: null, room_id: '7', message_id: '12' }
  await deliver({ ...other, text: 'psst', count: 1 })
  await expect.poll(shown).toEqual(['Bob · #general (2): again', 'Bob: psst'])

  // A message after the one that was read stays.
  await deliver({ type: 'close', room_id, message_id: '9' })
  await deliver({ type: 'close', room_id: '7', message_id: '12' })
  await expect.poll(shown).toEqual(['Bob · #general (2): again'])
  const data = (await worker.evaluate('[...shown.values()][0].data')) as string
  expect(data).toBe(`${path}?message=11`)
  await worker.evaluate(`dispatchEvent(Object.assign(new ExtendableEvent('notificationclick'), {
    notification: { data: '${path}', close() {} },
  }))`)
  await page.getByRole('log', { name: 'Messages in general' }).waitFor()
  await deliver({ type: 'close', room_id, message_id: '11' })
  await expect.poll(shown).toEqual([])
})
