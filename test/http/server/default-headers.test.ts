import { expect, test } from 'vitest'
import { needsToken } from '../../support/security.ts'
import { app, call, user } from '../../support/world.ts'

const standing = {
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

const documented = (app.swagger() as { paths: Record<string, Record<string, { security?: object[] }>> }).paths

const routes = Object.entries(documented).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { security }]) => ({
    method: method.toUpperCase() as 'GET',
    path: path.replaceAll(/\{[^}]+\}/g, '1'),
    isPrivate: needsToken(security ?? []) || path.startsWith('/auth/'),
  })),
)

test('every route is walked', () => {
  expect(routes.length).toBeGreaterThan(100)
  expect(routes.filter((route) => route.isPrivate).length).toBeGreaterThan(60)
})

const ann = await user()

test.each(routes)('$method $path has the default headers', async ({ method, path, isPrivate }) => {
  // The token ends with a logout.
  for (const caller of [null, path === '/auth/logout' ? await user() : ann]) {
    const { headers } = await call(caller, method, path)
    expect(headers).toMatchObject(standing)
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; (?:frame-ancestors 'none'|sandbox)$/,
    )
    expect(headers['access-control-allow-credentials']).toBeUndefined()
    if (isPrivate) expect(headers['cache-control']).toBe('no-store')
    else expect(headers['cache-control'] ?? '').not.toContain('public')
  }
})

test('answers without a route have the default headers too', async () => {
  for (const path of ['/nowhere', '/%', '/v1/houses/%zz', '/docs', '/docs/json', '/docs/events.json']) {
    expect((await call(null, 'GET', path)).headers, path).toMatchObject(standing)
  }
  const answer = await call(null, 'OPTIONS', '/users/@me')
  expect(answer.status).toBe(204)
  expect(answer.headers).toMatchObject(standing)
})

test('no page of another origin may read /metrics', async () => {
  for (const path of ['/metrics', '/v1/metrics', '/%6detrics', '/metrics?from=page']) {
    const answer = await call(null, 'GET', path)
    expect([answer.status, answer.headers['x-content-type-options']], path).toEqual([200, 'nosniff'])
    const names = Object.keys(answer.headers)
    expect(
      names.filter((name) => name.startsWith('access-control')),
      path,
    ).toEqual([])
  }
})

test('the docs page may run its own scripts, and nothing else', async () => {
  const { headers } = await call(null, 'GET', '/docs')
  const policy = String(headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'; script-src 'self';")
  const page = (await call(null, 'GET', '/docs')).text
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>\s*\S/)
})
