import { expect, test } from 'vitest'
import { call } from '../support/world.ts'

/** The URLs that a page or style sheet fetches. */
function loads(text: string): string[] {
  return [...text.matchAll(/(?:\bsrc=|<link[^>]*\bhref=|@import\s*|\burl\()\s*["']?([^"')\s>]+)/g)].map(
    (m) => m[1]!,
  )
}

test('the docs page loads nothing from other hosts', async () => {
  const page = await call(null, 'GET', '/docs')
  expect(page.status).toBe(200)
  const loaded = loads(page.text)
  expect(loaded.length).toBeGreaterThan(3)
  for (const url of loaded) {
    expect(url).toMatch(/^\.?\/(?!\/)/)
    const file = await call(null, 'GET', new URL(url, 'http://hearth.test/docs').pathname)
    expect([url, file.status]).toEqual([url, 200])
    if (url.endsWith('.css')) expect(loads(file.text).filter((each) => !each.startsWith('data:'))).toEqual([])
  }
})

test('the docs page calls no online validator', async () => {
  const script = await call(null, 'GET', '/docs/static/swagger-initializer.js')
  expect(script.status).toBe(200)
  expect(script.text).toContain('"validatorUrl":null')
  expect([...script.text.matchAll(/["']https?:[^"']*["']/g)].map(([url]) => url)).toEqual([])
})

test('the docs page has no field for other documents, which its policy blocks', async () => {
  const script = await call(null, 'GET', '/docs/static/swagger-initializer.js')
  expect(script.text).toContain('"layout":"BaseLayout"')
})
