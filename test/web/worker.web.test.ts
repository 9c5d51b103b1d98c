import { expect, test } from 'vitest'
import { call } from '../support/world.ts'
import { messageOf, openPage, origin, twoInHouse, write } from './support.ts'

test('from its first visit on the page opens without a connection, and only the page is kept', async () => {
  const { ann, path } = await twoInHouse()
  const page = await openPage(path, {
    as: ann,
    serviceWorkers: 'allow',
    mayFail: /ERR_|WebSocket|Failed to load/,
  })
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  await write(page, 'hello')
  await messageOf(page, 'hello').waitFor()
  const kept = async () =>
    (await page.evaluate(`caches.open('shell').then((cache) => cache.keys()).then(
    (requests) => requests.map(({ url }) => new URL(url).pathname))`)) as string[]
  await expect.poll(kept).toContain('/app/')
  await expect.poll(async () => (await kept()).some((each) => each.endsWith('.js'))).toBe(true)
  expect((await kept()).filter((each) => each !== '/app/' && !each.startsWith('/app/assets/'))).toEqual([])
  await page.context().setOffline(true)
  await page.goto(`${origin}/app/friends`)
  await page.getByRole('heading', { name: 'Hearth' }).waitFor()
  await page.getByText('This is shown once there is a connection.').waitFor()
  await page.getByText('No connection. What you write is kept and sent later.').waitFor()
})

test('the manifest names icons that are there', async () => {
  const manifest = JSON.parse((await call(null, 'GET', '/app/hearth.webmanifest')).text)
  for (const { src, type } of manifest.icons) {
    const { status, headers } = await call(null, 'GET', src)
    expect([status, headers['content-type']]).toEqual([200, type])
  }
})
