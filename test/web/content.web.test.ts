import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { call } from '../support/world.ts'
import { expectAccessible, messageOf, openPage, twoInHouse, write } from './support.ts'

const rich = (id: string) => `**bold** *slanted* ~~struck~~ \`inline\` for <@${id}>
> quoted
below, see https://example.org/a?b=c, [named](http://example.org/) or [never](javascript:alert(1))
- one
- two

\`\`\`js
const answer = 42 // comment
return 'text'
\`\`\``

test('a message is shown with its markdown, mentions and coloured code', async () => {
  const { ann, bob, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  await write(page, rich(bob.id))
  const message = messageOf(page, 'bold')
  for (const [element, text] of [
    ['strong', 'bold'],
    ['em', 'slanted'],
    ['del', 'struck'],
    ['code', 'inline'],
    ['.mention', '@Bob'],
    ['blockquote', 'quoted'],
    ['pre .hljs-keyword', 'const'],
    ['pre .hljs-string', "'text'"],
  ]) {
    expect(await message.locator(element!).first().textContent()).toBe(text)
  }
  expect(await message.getByRole('listitem').allTextContents()).toEqual(['one', 'two'])
  const links = await message.getByRole('link').evaluateAll((all) => all.map((each) => each.outerHTML))
  expect(links.map((html) => /href="([^"]*)"/.exec(html)?.[1])).toEqual([
    'https://example.org/a?b=c',
    'http://example.org/',
  ])
  for (const html of links) expect(html).toContain('rel="noopener noreferrer"')
  expect(await message.textContent()).toContain('[never](javascript:alert(1))')
  await page.setViewportSize({ width: 375, height: 667 })
  await expectAccessible(page)
  await expectNoSideways(page)
})

test('a link shows where it goes if its text is another address, and names are isolated from the text', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await call(bob, 'PATCH', '/users/@me', { name: 'דנה' })
  const content = `[https://bank.example/login](https://evil.example/x) [named](https://evil.example/y) [https://bank.example](${path}) <@${bob.id}> 1`
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content })
  const page = await openPage(path, { as: ann })
  const message = messageOf(page, 'bank.example')
  await message.waitFor()
  expect(await message.getByRole('link').allTextContents()).toEqual([
    'https://bank.example/login → evil.example/x',
    'named',
    `https://bank.example → ${new URL(page.url()).host}${path}`,
  ])
  expect(await message.locator('.mention bdi').textContent()).toBe('@דנה')
})

test('a lone emoji is large, one among words is not', async () => {
  const { ann, den, path } = await twoInHouse()
  for (const content of ['🎉 🇩🇪', 'party 🎉']) {
    await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content })
  }
  const page = await openPage(path, { as: ann })
  await messageOf(page, 'party').waitFor()
  expect(await page.locator('.content[data-emoji]').allTextContents()).toEqual(['🎉 🇩🇪'])
})

async function expectNoSideways(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
}
