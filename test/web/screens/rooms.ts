import type { Page, WebSocketRoute } from 'playwright-core'
import { expect } from 'vitest'
import { call } from '../../support/world.ts'
import type { Scene } from './scene.ts'
import { click, get, type Screen, see, seeText } from './screen.ts'

/** Rooms of all kinds, and what is done in them. */
export function roomScreens(scene: Scene): Screen[] {
  const { ann, bob, den, workshop, quiet, withBob, crew } = scene
  const roomPath = (id: string) => `/app/houses/${den.id}/rooms/${id}`
  const general = { as: ann, path: roomPath(den.room_id) }
  const inWorkshop = { as: ann, path: roomPath(workshop) }
  const unread = () => scene.leaveUnread(ann, den.room_id, 'That is the hill')
  const ready = async (page: Page) => {
    await page.getByText('I put the dates').waitFor()
    await page.getByRole('img', { name: 'Picture hill.png' }).waitFor()
  }
  const composer = (page: Page) => get(page, 'textbox', 'Message general')
  return [
    {
      ...general,
      name: 'room',
      unread,
      show: async (page) => {
        await ready(page)
        // It is shown for some seconds only.
        const say = async () => {
          await call(bob, 'POST', `/rooms/${den.room_id}/typing`)
          return page.getByText('Bob is typing…').count()
        }
        await expect.poll(say, { interval: 500 }).toBe(1)
      },
    },
    {
      ...general,
      name: 'message-actions',
      show: async (page) => {
        await ready(page)
        await page.getByRole('article').filter({ hasText: 'Yes: it waits' }).focus()
      },
    },
    {
      ...general,
      name: 'message-menu',
      show: async (page) => {
        await ready(page)
        await page.getByRole('article').filter({ hasText: 'Yes: it waits' }).press('Enter')
        await page.getByRole('menu').waitFor()
      },
    },
    {
      ...general,
      name: 'message-edit',
      show: async (page) => {
        await ready(page)
        await composer(page).press('ArrowUp')
        await get(page, 'textbox', 'Edit message').waitFor()
      },
    },
    {
      ...general,
      name: 'completion',
      show: async (page) => {
        await ready(page)
        await composer(page).pressSequentially('Thank you @')
        await get(page, 'option', /Bob/).waitFor()
      },
    },
    {
      ...general,
      name: 'composer-files',
      show: async (page) => {
        await ready(page)
        const files = ['notes.txt', 'a-file-whose-name-is-longer-than-a-phone-is-wide.txt']
        await page
          .locator('.composer input[type=file]')
          .setInputFiles(files.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('x') })))
        await composer(page).fill('Two files,\nand two lines.\nOr three.')
      },
    },
    {
      ...general,
      name: 'emoji',
      show: async (page) => {
        await ready(page)
        await click(page, 'button', 'Emoji')
        await page.getByRole('searchbox', { name: 'Search emoji' }).fill('smil')
        await page.getByRole('option').first().waitFor()
      },
    },
    {
      ...general,
      name: 'exploding-menu',
      show: async (page) => {
        await ready(page)
        await click(page, 'button', /^Exploding messages/)
      },
    },
    {
      ...inWorkshop,
      name: 'room-of-all-kinds',
      unread: () => scene.leaveUnread(ann, workshop, 'Looks right to me'),
      show: seeText('Explodes'),
    },
    {
      ...inWorkshop,
      name: 'room-of-all-kinds-end',
      unread: () => scene.leaveUnread(ann, workshop, 'This one is gone'),
      show: seeText('Explodes'),
    },
    { name: 'room-empty', as: bob, path: roomPath(quiet), show: seeText('Nobody has written here yet.') },
    {
      name: 'room-gone',
      as: bob,
      path: roomPath('1'),
      mayFail: /status of 404/,
      show: seeText('This room is not there'),
    },
    { name: 'rooms', as: ann, path: `/app/houses/${den.id}`, show: see('link', /plans/) },
    { name: 'private-rooms', as: ann, path: '/app/private', show: see('link', /Bob/) },
    { name: 'private-room', as: ann, path: `/app/private/${withBob}`, show: seeText('Please do.') },
    { name: 'group', as: ann, path: `/app/private/${crew}`, show: seeText('the key of the shed') },
    { name: 'friends', as: ann, path: '/app/friends', show: see('button', 'Accept: Cat') },
    { name: 'mentions', as: ann, path: '/app/mentions', show: seeText('I put the dates') },
    {
      ...general,
      name: 'no-connection',
      mayFail: /WebSocket|ERR_/,
      show: async (page) => {
        const open: WebSocketRoute[] = []
        await page.routeWebSocket(/./, (socket) => {
          // The second one, which is to replace the first, gets nowhere.
          if (open.push(socket) === 1) socket.connectToServer()
          else void socket.close()
        })
        await page.reload()
        await ready(page)
        // Otherwise only websockets would be blocked.
        await page.route(/\/v1\/server$/, (route) => route.abort())
        await open[0]?.close()
        await page.getByText('No connection.').waitFor()
      },
    },
  ]
}
