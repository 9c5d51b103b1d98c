import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { otherApp } from '../../support/other-app.ts'
import { app, call } from '../../support/world.ts'

const built = join(import.meta.dirname, '../../../dist/web')
const page = await readFile(join(built, 'index.html'), 'utf8')
const script = /src="(\/app\/assets\/[^"]+\.js)"/.exec(page)![1]!

test('the root redirects to the client', async () => {
  const answer = await call(null, 'GET', '/')
  expect(answer.status).toBe(302)
  expect(answer.headers.location).toBe('/app/')
})

test.each(['/app', '/app/', '/app/houses/1/rooms/2?message=3', '/app/invite/abc', '/app/nowhere'])(
  '%s answers the page',
  async (path) => {
    const answer = await call(null, 'GET', path)
    expect(answer.status).toBe(200)
    expect(answer.text).toBe(page)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    })
  },
)

test('the policy of the page lets only own scripts run, and files of PUBLIC_URL be shown', async () => {
  const policy = String((await call(null, 'GET', '/app/')).headers['content-security-policy'])
  const directives = new Map(
    policy.split('; ').map((each) => [each.split(' ')[0], each.split(' ').slice(1).join(' ')]),
  )
  expect(directives.get('default-src')).toBe("'none'")
  expect(directives.get('script-src')).toBe("'self'")
  expect(directives.get('style-src')).toBe("'self'")
  expect(directives.get('connect-src')).toBe("'self'")
  expect(directives.get('img-src')).toBe("'self' blob: http://hearth.test")
  expect(directives.get('require-trusted-types-for')).toBe("'script'")
  for (const name of ['base-uri', 'form-action', 'frame-ancestors']) {
    expect(directives.get(name)).toBe("'none'")
  }
})

test('files with a hash are immutable and sent compressed', async () => {
  const plain = await call(null, 'GET', script)
  expect(plain.status).toBe(200)
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  const headers = { 'accept-encoding': 'gzip' }
  const zipped = await app.inject({ method: 'GET', url: script, headers })
  expect(zipped.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.text)
  const brotli = await app.inject({ url: script, headers: { 'accept-encoding': 'gzip, br' } })
  expect(brotli.headers['content-encoding']).toBe('br')
  expect(brotli.headers['cache-control']).toBe(plain.headers['cache-control'])
})

test('a file that is not there is not found, and nothing outside of the build is served', async () => {
  const missing = ['/app/assets/none.js', '/app/none.js', '/app/assets/..%2f..%2fpackage.json']
  for (const path of missing) {
    expect((await call(null, 'GET', path)).status, path).toBe(404)
  }
  expect((await call(null, 'GET', '/app/..%2f..%2fpackage.json')).text).toBe(page)
  expect((await call(null, 'POST', '/app/')).status).toBe(404)
})

test('with WEB=off there is no client', async () => {
  const { call: callWithout } = await otherApp({ web: false })
  for (const path of ['/', '/app/', script]) expect((await callWithout(null, 'GET', path)).status).toBe(404)
})

test('files have a rate limit of their own', async () => {
  const rateLimits = { ...app.config.rateLimits, files: { burst: 2, refillMs: 3_600_000 } }
  const { call: callLimited } = await otherApp({ rateLimit: true, rateLimits })
  const statuses: number[] = []
  for (let i = 0; i < 3; i += 1) statuses.push((await callLimited(null, 'GET', '/app/')).status)
  expect(statuses).toEqual([200, 200, 429])
  expect((await callLimited(null, 'GET', '/health')).status).toBe(200)
})

test('the first load stays within its budget', async () => {
  const sizes = { js: 0, css: 0 }
  for (const [, file, kind] of page.matchAll(/"\/app\/(assets\/[^"]+\.(js|css))"/g)) {
    sizes[kind as 'js' | 'css'] += (await readFile(join(built, `${file}.gz`))).length
  }
  expect(sizes.js).toBeGreaterThan(1_000)
  expect(sizes.js).toBeLessThanOrEqual(90_000)
  expect(sizes.css).toBeLessThanOrEqual(15_000)
})
