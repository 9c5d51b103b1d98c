import { expect, test } from 'vitest'
import { call } from '../support/world.ts'
import { messageOf, openPage, twoInHouse } from './support.ts'

test('what comes in sight is never marked as unread, even before the server knows', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  await page.getByText('Nobody has written here yet.').waitFor()
  // The server does not learn of it.
  await page.route(/\/ack/, () => {})
  await page.evaluate(`
    window.marks = 0
    new MutationObserver(() => { marks += document.querySelectorAll('.mark').length })
      .observe(document.body, { childList: true, subtree: true, attributes: true })
  `)
  const say = (content: string) => call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content })
  await say(`first <@${ann.id}>`)
  await messageOf(page, 'first').waitFor()
  await say('second')
  await messageOf(page, 'second').waitFor()
  expect(await page.evaluate('marks')).toBe(0)
  expect(await page.title()).toBe('general · Hearth')
  // Elsewhere, it is unread still.
  await page.getByRole('link', { name: 'Settings' }).click()
  await expect.poll(() => page.title()).toBe('(1) Settings · Hearth')
})
