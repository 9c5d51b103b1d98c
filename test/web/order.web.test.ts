import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { repositioned } from '../../src/web/houses/settings/role-order.ts'
import { withPlacement } from '../../src/web/houses/settings/with-placement.ts'
import { placed, stepped } from '../../src/web/shell/order.ts'
import { call, house, houseRoom, role, user } from '../support/world.ts'
import { expectAccessible, openPage, twoInHouse } from './support.ts'

describe('what a move makes of lists', () => {
  const lists = [
    { id: 'none', ids: ['x'], kind: 'room', isClosed: true },
    { id: '1', ids: ['a', 'b'], kind: 'room' },
    { id: '2', ids: ['c'], kind: 'room' },
    { id: 'categories', ids: ['1', '2'] },
  ]

  test('by one place, at the end into the next list of the kind', () => {
    expect(stepped(lists, 'a', 1)).toEqual({ id: 'a', listId: '1', ids: ['b', 'a'] })
    expect(stepped(lists, 'b', -1)).toEqual({ id: 'b', listId: '1', ids: ['b', 'a'] })
    expect(stepped(lists, 'b', 1)).toEqual({ id: 'b', listId: '2', ids: ['b', 'c'] })
    expect(stepped(lists, 'c', -1)).toEqual({ id: 'c', listId: '1', ids: ['a', 'b', 'c'] })
    expect(stepped(lists, 'x', 1)).toEqual({ id: 'x', listId: '1', ids: ['x', 'a', 'b'] })
    expect(stepped(lists, '2', -1)).toEqual({ id: '2', listId: 'categories', ids: ['2', '1'] })
    expect(stepped(lists, 'a', -1)).toBeUndefined()
    expect(stepped(lists, 'c', 1)).toBeUndefined()
  })

  test('into another list, unless that is closed or nothing changes', () => {
    expect(placed(lists, 'c', '1', 'b')).toEqual({ id: 'c', listId: '1', ids: ['a', 'c', 'b'] })
    expect(placed(lists, 'b', '1')).toBeUndefined()
    expect(placed(lists, 'a', 'none')).toBeUndefined()
  })

  test('holds while an event of an earlier move shows the lists before it', () => {
    const move = stepped(lists, 'b', 1)!
    const after = withPlacement(lists, move)
    expect(after.map(({ ids }) => ids)).toEqual([['x'], ['a'], ['b', 'c'], ['1', '2']])
    expect(withPlacement(after, move)).toEqual(after)
    const grown = after.map((list) => (list.id === '2' ? { ...list, ids: ['b', 'c', 'd'] } : list))
    expect(withPlacement(grown, move)).toEqual(grown)
  })

  test('roles take positions of their own', () => {
    const roles = [
      { id: '1', position: 0 },
      { id: '2', position: 0 },
      { id: '3', position: 5 },
    ]
    expect(repositioned(roles, ['3', '2', '1'])).toEqual([{ id: '2', position: 1 }])
    expect(repositioned(roles, ['1', '3', '2'])).toEqual([
      { id: '3', position: 1 },
      { id: '1', position: 5 },
    ])
  })
})

/** The focused control of a row, by its label. */
function focused(page: Page, label: string) {
  return page.locator(`button:focus[aria-label="${label}"]`).waitFor()
}

test('rooms go from category to category by button, key and drag, and categories too', async () => {
  const { ann, den } = await twoInHouse()
  await houseRoom(den, { name: 'news' })
  await call(ann, 'POST', `/houses/${den.id}/entities`, { name: 'Garden' })
  const page = await openPage(`/app/houses/${den.id}/settings/rooms`, { as: ann })
  const rows = () => page.getByRole('main').locator('h2, .movable .cut').allInnerTexts()
  const saying = page.getByRole('main').getByRole('status')
  const heading = (name: string) => page.getByRole('main').getByRole('heading', { name })
  await expect.poll(rows).toEqual(['Rooms', '# general', '# news', 'Garden'])

  await page.getByRole('button', { name: 'Move down: news' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(rows).toEqual(['Rooms', '# general', 'Garden', '# news'])
  await focused(page, 'Move down: news')
  await expect.poll(() => saying.innerText()).toBe('news: 1 of 1 in Garden.')
  await page.keyboard.press('Alt+Shift+ArrowUp')
  await expect.poll(rows).toEqual(['Rooms', '# general', '# news', 'Garden'])
  await focused(page, 'Move down: news')
  await page.keyboard.press('Alt+Shift+ArrowUp')
  await expect.poll(rows).toEqual(['Rooms', '# news', '# general', 'Garden'])
  await expect.poll(() => saying.innerText()).toBe('news: 1 of 2 in Rooms.')

  await page.locator('.movable', { hasText: 'general' }).dragTo(heading('Garden'))
  await expect.poll(rows).toEqual(['Rooms', '# news', 'Garden', '# general'])
  await page.getByRole('button', { name: 'Move down: Rooms' }).focus()
  await page.keyboard.press('Alt+Shift+ArrowDown')
  await expect.poll(rows).toEqual(['Garden', '# general', 'Rooms', '# news'])
  await focused(page, 'Move down: Rooms')
  await heading('Rooms').dragTo(heading('Garden'))
  await expect.poll(rows).toEqual(['Rooms', '# news', 'Garden', '# general'])
  const { entities } = (await call(ann, 'GET', `/houses/${den.id}`)).body.data
  expect(entities.map(({ name }: { name: string }) => name)).toEqual(['Rooms', 'Garden'])
  await expectAccessible(page)
})

test('a drag that is given up changes nothing', async () => {
  const { ann, den } = await twoInHouse()
  for (const name of ['news', 'talk']) await houseRoom(den, { name })
  const page = await openPage(`/app/houses/${den.id}/settings/rooms`, { as: ann })
  await page.locator('.movable', { hasText: 'talk' }).hover()
  await page.mouse.down()
  await page.mouse.move(500, 100, { steps: 3 })
  await page.locator('[data-dragged]', { hasText: 'talk' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('[data-dragged]').waitFor({ state: 'detached' })
  await page.mouse.up()
  await page.getByRole('button', { name: 'Move up: talk' }).click()
  await page.getByText('talk: 2 of 3 in Rooms.').waitFor()
})

test('roles come into another order by drag and by key', async () => {
  const { ann, den } = await twoInHouse()
  for (const name of ['low', 'high']) {
    const id = await role(den, {})
    await call(ann, 'PATCH', `/houses/${den.id}/roles/${id}`, { name, position: name === 'low' ? 1 : 2 })
  }
  const page = await openPage(`/app/houses/${den.id}/settings/roles`, { as: ann })
  const rows = () => page.locator('.movable .cut').allInnerTexts()
  await expect.poll(rows).toEqual(['high', 'low'].map((name) => expect.stringContaining(name)))
  await page.locator('.movable', { hasText: 'low' }).dragTo(page.locator('.movable', { hasText: 'high' }), {
    targetPosition: { x: 20, y: 4 },
  })
  await expect.poll(rows).toEqual(['low', 'high'].map((name) => expect.stringContaining(name)))
  await page.getByRole('button', { name: 'Edit: low' }).focus()
  await page.keyboard.press('Alt+Shift+ArrowDown')
  await expect.poll(rows).toEqual(['high', 'low'].map((name) => expect.stringContaining(name)))
  await focused(page, 'Edit: low')
  await page.getByText('low: 2 of 2.').waitFor()
})

test('of moves in quick succession, each begins where the one before has led', async () => {
  const { ann, den } = await twoInHouse()
  for (const name of ['one', 'two', 'three']) await houseRoom(den, { name })
  for (const position of [1, 2, 3, 4]) {
    const id = await role(den, { position })
    await call(ann, 'PATCH', `/houses/${den.id}/roles/${id}`, { name: `role ${position}` })
  }
  const page = await openPage(`/app/houses/${den.id}/settings/rooms`, { as: ann })
  const names = () => page.locator('.movable .cut').allInnerTexts()
  const down = async (name: string) => {
    await page.getByRole('button', { name: `Move down: ${name}` }).focus()
    for (let count = 0; count < 3; count += 1) await page.keyboard.press('Alt+Shift+ArrowDown')
  }
  await down('general')
  await expect.poll(names).toEqual(['# one', '# two', '# three', '# general'])
  await page.getByText('general: 4 of 4 in Rooms.').waitFor()
  await page.goto(new URL(`/app/houses/${den.id}/settings/roles`, page.url()).href)
  await down('role 4')
  await page.getByText('role 4: 4 of 4.').waitFor()
  const roles = (await call(ann, 'GET', `/houses/${den.id}/roles`)).body.data
  expect(roles.map(({ name }: { name: string }) => name)).toEqual(['role 3', 'role 2', 'role 1', 'role 4'])
})

/** Somebody in the houses One, Two and Three, with what the rail shows of them. */
async function inThreeHouses(options: { hasTouch?: boolean } = {}) {
  const ann = await user({ name: 'Ann' })
  for (const name of ['One', 'Two', 'Three']) {
    const { id } = await house({ owner: ann })
    await call(ann, 'PATCH', `/houses/${id}`, { name })
  }
  const page = await openPage('/app/friends', { as: ann, ...options })
  const rail = page.getByRole('navigation', { name: 'Houses' })
  const houses = () => rail.locator('[data-item]').allInnerTexts()
  const link = (name: string) => rail.getByRole('link', { name, exact: true })
  const names = async () => (await houses()).map((text) => text.split('\n').at(-1))
  await expect.poll(names).toEqual(['One', 'Two', 'Three'])
  return { page, rail, link, names }
}

test('houses come into one’s own order by key and by drag, which stays after a reload', async () => {
  const { page, rail, link, names } = await inThreeHouses()
  await link('Three').focus()
  await page.keyboard.press('Alt+Shift+ArrowUp')
  await expect.poll(names).toEqual(['One', 'Three', 'Two'])
  await link('Three').and(page.locator(':focus')).waitFor()
  await expect.poll(() => rail.getByRole('status').innerText()).toBe('Three: 2 of 3.')
  await link('One').dragTo(link('Two'), { targetPosition: { x: 10, y: 40 } })
  await expect.poll(names).toEqual(['Three', 'Two', 'One'])
  expect(new URL(page.url()).pathname).toBe('/app/friends')
  await page.reload()
  await expect.poll(names).toEqual(['Three', 'Two', 'One'])
  await expectAccessible(page)
})

test('a finger that stays on a house takes hold of it', async () => {
  const { page, link, names } = await inThreeHouses({ hasTouch: true })
  const [from, to] = [await link('One').boundingBox(), await link('Three').boundingBox()]
  if (!from || !to) throw new Error('The houses are not in sight')
  const touch = await page.context().newCDPSession(page)
  const point = { x: from.x + 20, y: from.y + 20 }
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] })
  await page.locator('[data-dragged]').waitFor()
  for (const y of [point.y + 20, to.y + 30, to.y + 40]) {
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ ...point, y }] })
  }
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await expect.poll(names).toEqual(['Two', 'Three', 'One'])
  expect(new URL(page.url()).pathname).toBe('/app/friends')
})
