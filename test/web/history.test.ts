import { expect, test } from 'vitest'
import { house, houseRoom } from '../support/world.ts'
import { openPage, twoInHouse } from './support.ts'

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

test('the client starts in the room that was open last, whichever house the server sends first', async () => {
  const { ann, path } = await twoInHouse()
  const nest = await house({ owner: ann })
  const last = `/app/houses/${nest.id}/rooms/${nest.room_id}`
  const page = await openPage(path, { as: ann })
  for (const each of [last, path]) {
    await page.goto(new URL(each, page.url()).href)
    await page.getByRole('textbox', { name: 'Message general' }).waitFor()
    await page.goto(new URL('/app/', page.url()).href)
    await page.getByRole('textbox', { name: 'Message general' }).waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe(each)
  }
})
