import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { call, house, houseRoom, oneToOne, type Person, user } from '../support/world.ts'
import { expectAccessible, messageOf, openPage, twoInHouse } from './support.ts'

const rooms = (page: Page) => page.getByRole('navigation', { name: 'Rooms' })

test('marks say what is there, live and after a reload: deletions, edits, private messages, blocks', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const random = await houseRoom(den, { name: 'random' })
  const pair = await oneToOne(ann, bob)
  const page = await openPage(path, { as: ann })
  await page.getByText('Nobody has written here yet.').waitFor()
  const messages = `/rooms/${random}/messages`
  const say = async (content: string, url = messages) =>
    (await call(bob, 'POST', url, { content })).body.data.id as string
  /** The title counts the mentions of all rooms; what one sees now is what one sees after a reload. */
  const expectMarks = async (title: string, random: string, privates: string) => {
    for (const look of ['live', 'reloaded']) {
      if (look === 'reloaded') await page.reload()
      await rooms(page).getByRole('link', { name: random, exact: true }).waitFor()
      await page.getByRole('link', { name: privates, exact: true }).first().waitFor()
      await expect.poll(() => page.title()).toBe(title)
    }
  }
  const quiet = ['general · Hearth', 'random', 'Private rooms'] as const

  const mention = await say(`see <@${ann.id}>`)
  await expectMarks('(1) general · Hearth', 'random , 1 mention', 'Private rooms')
  await call(bob, 'DELETE', `${messages}/${mention}`)
  await expectMarks(...quiet)

  const edited = await say('nobody')
  await expectMarks('general · Hearth', 'random , unread', 'Private rooms')
  await call(bob, 'PATCH', `${messages}/${edited}`, { content: `<@${ann.id}>` })
  await expectMarks('(1) general · Hearth', 'random , 1 mention', 'Private rooms')
  await call(bob, 'PATCH', `${messages}/${edited}`, { content: 'nobody again' })
  await expectMarks('general · Hearth', 'random , unread', 'Private rooms')
  await call(bob, 'DELETE', `${messages}/${edited}`)
  await expectMarks(...quiet)

  const secret = await say('hello', `/rooms/${pair}/messages`)
  await expectMarks('general · Hearth', 'random', 'Private rooms , unread')
  await call(bob, 'DELETE', `/rooms/${pair}/messages/${secret}`)
  await expectMarks(...quiet)

  await say(`<@${ann.id}>`)
  await expectMarks('(1) general · Hearth', 'random , 1 mention', 'Private rooms')
  await call(ann, 'PUT', `/relationships/@me/blocked/${bob.id}`)
  await expectMarks('general · Hearth', 'random , unread', 'Private rooms')
})

test('what a blocked person writes is folded until one wants to see it', async () => {
  const [ann, bob, cat] = [await user(), await user({ name: 'Bob' }), await user()]
  const den = await house({ owner: ann, members: [bob, cat] })
  await call(ann, 'PUT', `/relationships/@me/blocked/${bob.id}`)
  const url = `/rooms/${den.room_id}/messages`
  const say = async (by: Person, content: string, more: object = {}) =>
    (await call(by, 'POST', url, { content, ...more })).body.data.id as string
  const [first] = [await say(bob, 'first insult'), await say(bob, 'second insult')]
  await say(cat, 'an answer', { reply_to_id: first })
  await call(ann, 'PUT', `/rooms/${den.room_id}/pins/${first}`)
  const page = await openPage(`/app/houses/${den.id}/rooms/${den.room_id}`, { as: ann })
  const folded = messageOf(page, 'Message from somebody you blocked.').and(page.locator(':not(:has(.quote))'))
  await expect.poll(() => folded.count()).toBe(2)
  await messageOf(page, 'an answer').getByText('Message from somebody you blocked.').waitFor()
  expect(await page.getByText('insult').count()).toBe(0)
  await expectAccessible(page)
  expect(await page.getByRole('article', { name: 'Message from somebody you blocked.' }).count()).toBe(2)
  await page.getByRole('button', { name: 'Search' }).click()
  const search = page.getByRole('complementary', { name: 'Search' })
  await search.getByRole('searchbox').fill('insult')
  await search.getByRole('searchbox').press('Enter')
  await expect.poll(() => search.getByText('Message from somebody you blocked.').count()).toBe(2)
  expect(await page.getByText('insult').count()).toBe(0)
  await search.getByRole('button', { name: 'Close' }).click()
  await folded.last().getByRole('button', { name: 'Show' }).click()
  // It says whose it is, although one before it is folded still.
  await messageOf(page, 'second insult').getByRole('button', { name: 'Bob' }).waitFor()
  expect(await page.getByText('first insult').count()).toBe(0)
  await page.getByRole('button', { name: 'Pinned messages' }).click()
  const pins = page.getByRole('dialog')
  await pins.getByText('Message from somebody you blocked.').waitFor()
  await pins.getByRole('button', { name: 'Show' }).click()
  await pins.getByText('first insult').waitFor()
  await page.keyboard.press('Escape')
  await messageOf(page, 'first insult').first().waitFor()
  await call(ann, 'DELETE', `/relationships/@me/blocked/${bob.id}`)
  await call(ann, 'PUT', `/relationships/@me/blocked/${cat.id}`)
  await messageOf(page, 'Message from somebody you blocked.').waitFor()
  expect(await page.getByText('an answer').count()).toBe(0)
})
