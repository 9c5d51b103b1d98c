import type { Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { sendMedia } from '../support/media.ts'
import { filePart } from '../support/multipart.ts'
import { picture } from '../support/pictures.ts'
import { call, house, user } from '../support/world.ts'
import { expectAccessible, messageOf, openPage, sent, twoInHouse, write } from './support.ts'

const phone = { viewport: { width: 375, height: 667 }, hasTouch: true, isMobile: true }

test('a reply quotes what it answers, and leads there', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const url = `/rooms/${den.room_id}/messages`
  await call(bob, 'POST', url, { content: 'the question' })
  for (let n = 0; n < 60; n += 1) await call(bob, 'POST', url, { content: `line ${n}.` })
  const page = await openPage(path, { as: ann })
  const other = await openPage(path, { as: bob })
  await messageOf(page, 'line 59.').hover()
  await page.getByRole('button', { name: 'Reply' }).click()
  await page.getByText('Replying to Bob').waitFor()
  expect(await page.evaluate('document.activeElement?.ariaLabel')).toBe('Message general')
  // Esc leaves the reply, and only that.
  await page.getByRole('textbox', { name: 'Message general' }).press('Escape')
  await page.getByText('Replying to Bob').waitFor({ state: 'detached' })

  const { id } = (await call(ann, 'GET', `${url}/search?q=question`)).body.data[0]
  await call(ann, 'POST', url, { content: 'the answer', reply_to_id: id })
  const quote = messageOf(other, 'the answer').getByRole('link', { name: /In reply to Bob the question/ })
  await quote.click()
  await other.locator('.message[data-target]').filter({ hasText: 'the question' }).waitFor()
  // Also again, from where one has gone since.
  await other.getByRole('button', { name: /Jump to present|new message/ }).click()
  await expect.poll(() => quote.isVisible()).toBe(true)
  await quote.click()
  const question = other.locator('.message[data-target]').filter({ hasText: 'the question' })
  await expect.poll(() => question.isVisible()).toBe(true)
  await call(bob, 'PATCH', `${url}/${id}`, { content: 'another question' })
  await messageOf(page, 'the answer').getByText('another question').waitFor()
  await call(bob, 'DELETE', `${url}/${id}`)
  await messageOf(page, 'the answer').getByText('The message that this replies to is gone.').waitFor()
})

test('on a phone replies, reactions and pins have room', async () => {
  const ann = await user({ name: 'Ann' })
  const bob = await user({ name: 'Bob with a name of many words that is longer than a phone' })
  const den = await house({ owner: ann, members: [bob] })
  const url = `/rooms/${den.room_id}/messages`
  const { id } = (await call(bob, 'POST', url, { content: 'many words '.repeat(40) })).body.data
  await call(ann, 'POST', url, { content: 'yes', reply_to_id: id })
  for (const emoji of [...'👍👎😀😂🎉🚀👀🔥💯🙏🐸🍕']) {
    await call(ann, 'PUT', `${url}/${id}/reactions/${encodeURIComponent(emoji)}`)
  }
  await call(ann, 'PUT', `/rooms/${den.room_id}/pins/${id}`)
  const page = await openPage(`/app/houses/${den.id}/rooms/${den.room_id}`, { as: ann, ...phone })
  await messageOf(page, 'yes').waitFor()
  const reaction = page.getByRole('button', { name: '1 person reacted with 🍕' })
  await reaction.waitFor()
  expect((await reaction.boundingBox())!.height).toBeGreaterThanOrEqual(44)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
  const log = page.getByRole('log')
  expect(await log.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add reaction' }).first().tap()
  await page.getByRole('dialog', { name: 'Add reaction' }).getByRole('option').first().tap()
  await page.getByRole('button', { name: '1 person reacted with 😀', pressed: true }).waitFor()

  await page.getByRole('button', { name: 'general: menu' }).tap()
  await page.getByRole('button', { name: 'Pinned messages' }).tap()
  const pin = page.getByRole('dialog').getByRole('listitem')
  await pin.getByRole('button', { name: 'Unpin' }).waitFor()
  const [link, button] = await Promise.all(
    (['link', 'button'] as const).map(async (role) => (await pin.getByRole(role).boundingBox())!),
  )
  // Beside each other where there is room for both, else below each other.
  const isBeside = link!.x + link!.width <= button!.x
  expect(isBeside || link!.y + link!.height <= button!.y).toBe(true)
  expect(button!.x + button!.width).toBeLessThanOrEqual(375)
})

test('a reply whose target is deleted goes as an ordinary message', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const url = `/rooms/${den.room_id}/messages`
  const ask = async (content: string) => (await call(bob, 'POST', url, { content })).body.data.id
  // So many that the page does not know whether a message it lacks was there.
  for (let n = 0; n < 60; n += 1) await ask(`line ${n}.`)
  const [first, second, third] = [await ask('first'), await ask('second'), await ask('third')]
  const page = await openPage(path, { as: ann, mayFail: /status of 404/ })
  const replying = page.getByText('Replying to Bob')
  const answer = async (text: string) => {
    await messageOf(page, text).hover()
    await messageOf(page, text).getByRole('button', { name: 'Reply' }).click()
    await replying.waitFor()
  }
  // Here the page learns of it in time.
  await answer('first')
  await call(bob, 'DELETE', `${url}/${first}`)
  await replying.waitFor({ state: 'detached' })

  // Here it is too late: the request is on its way.
  const late = (question: string, path: string) => {
    const first = async (route: Route) => {
      await call(bob, 'DELETE', `${url}/${question}`)
      await route.continue()
    }
    return page.route(path, first, { times: 1 })
  }
  await answer('second')
  await late(second, '**/messages?*')
  await write(page, 'the answer')
  await sent(page, 'the answer')

  await answer('third')
  await late(third, '**/media_messages?*')
  await page.locator('.composer input[type="file"]').setInputFiles({
    name: 'notes.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('notes'),
  })
  await write(page, 'with a file')
  await sent(page, 'with a file')
  expect((await call(ann, 'GET', `${url}?limit=2&extended=true`)).body.data).toMatchObject([
    { content: 'with a file', reply_to: null },
    { content: 'the answer', reply_to: null },
  ])
})

test('a reply that was begun outlives a reload, and the message that it answers not', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const url = `/rooms/${den.room_id}/messages`
  const { id } = (await call(bob, 'POST', url, { content: 'the question' })).body.data
  const page = await openPage(path, { as: ann })
  const composer = page.getByRole('textbox', { name: 'Message general' })
  const replying = page.locator('.replying').filter({ hasText: 'Replying to Bob the question' })
  const begin = async () => {
    const question = messageOf(page, 'the question').first()
    await question.hover()
    await question.getByRole('button', { name: 'Reply' }).click()
    await composer.fill('the answer')
    await page.reload()
    await replying.waitFor()
    expect(await composer.inputValue()).toBe('the answer')
  }
  await begin()
  await page.getByRole('button', { name: 'Cancel reply' }).click()
  await replying.waitFor({ state: 'detached' })
  await begin()
  await composer.press('Enter')
  await messageOf(page, 'the answer')
    .getByRole('link', { name: /In reply to Bob/ })
    .waitFor()
  await sent(page, 'the answer')
  await begin()
  await call(bob, 'DELETE', `${url}/${id}`)
  await replying.waitFor({ state: 'detached' })
  await page.reload()
  await expect.poll(() => composer.inputValue()).toBe('the answer')
  expect(await replying.count()).toBe(0)
})

test('in German', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'die Frage' })
  const page = await openPage(path, { as: ann, locale: 'de-DE' })
  await page.getByRole('article').filter({ hasText: 'die Frage' }).hover()
  await page.getByRole('button', { name: 'Antworten' }).click()
  await page.getByText('Antwort an Bob').waitFor()
  await page.getByRole('button', { name: 'Angeheftete Nachrichten' }).click()
  await page.getByText('Hier ist noch nichts angeheftet.').waitFor()
})

test('what is refused is undone, and said', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const { id } = (await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'the question' })).body
    .data
  const page = await openPage(path, { as: ann, mayFail: /404/ })
  await write(page, 'mine')
  await sent(page, 'mine')
  await call(bob, 'PUT', `/rooms/${den.room_id}/messages/${id}/reactions/${encodeURIComponent('👍')}`)
  const button = page.getByRole('button', { name: '1 person reacted with 👍' })
  await button.waitFor()
  await page.route('**/reactions/**', (route) =>
    route.fulfill({
      status: 404,
      json: { success: false, error: { code: 'message_not_found', message: 'That message does not exist' } },
    }),
  )
  await button.click()
  await page.getByRole('alert').getByText('This message is gone.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '1 person reacted with 👍', pressed: false }).waitFor()
})

test('a quote has no marks of markdown, and says which picture', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const url = `/rooms/${den.room_id}/messages`
  const content = `**bold** and [a place](https://example.org)\n- \`one\` for <@${ann.id}>\n> never *more*`
  const { id } = (await call(bob, 'POST', url, { content })).body.data
  await call(ann, 'POST', url, { content: 'first answer', reply_to_id: id })
  const file = await picture('jpeg', { width: 96, height: 48 })
  const sentPicture = await sendMedia(bob, den.room_id, filePart(file, 'hill.jpg', 'image/jpeg'))
  const picture_id = sentPicture.body.data.id
  await call(ann, 'POST', url, { content: 'second answer', reply_to_id: picture_id })
  const page = await openPage(path, { as: ann })
  const quoteIn = (text: string) => messageOf(page, text).locator('.quote .cut')
  const plain = `bold and a place one for @${ann.username} never more`
  await expect.poll(() => quoteIn('first answer').innerText()).toBe(plain)
  expect(await quoteIn('second answer').innerText()).toBe('Picture hill.jpg')
  const original = page
    .getByRole('article')
    .filter({ has: page.getByRole('img', { name: 'Picture hill.jpg' }) })
  await original.hover()
  await original.getByRole('button', { name: 'Reply' }).click()
  await page.locator('.replying').getByText('Picture hill.jpg').waitFor()
})

test('with twenty emoji there is no further reaction, but those can be given', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const url = `/rooms/${den.room_id}/messages`
  const { id } = (await call(bob, 'POST', url, { content: 'liked' })).body.data
  const emoji = [...'👍👎😀😂🎉🚀👀🔥💯🙏🐸🍕🍇🍉🍌🍎🍒🍓🥝🍅']
  const put = (each: string) => call(bob, 'PUT', `${url}/${id}/reactions/${encodeURIComponent(each)}`)
  for (const each of emoji.slice(1)) await put(each)
  const page = await openPage(path, { as: ann })
  const add = messageOf(page, 'liked').getByRole('button', { name: 'Add reaction' })
  await messageOf(page, 'liked').hover()
  await expect.poll(() => add.count()).toBe(2)
  await put(emoji[0]!)
  await expect.poll(() => add.count()).toBe(0)
  await page.getByRole('button', { name: '1 person reacted with 🍅' }).click()
  await page.getByRole('button', { name: '2 people reacted with 🍅' }).waitFor()
})
