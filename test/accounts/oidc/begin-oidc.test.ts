import { expect, test } from 'vitest'
import { createBrowser, startOidcProvider } from '../../support/oidc.ts'
import { otherApp } from '../../support/other-app.ts'
import { call, failure, unavailable } from '../../support/world.ts'

const origins: string[] = []
const provider = await startOidcProvider(() => origins.map((origin) => `${origin}/auth/oidc/callback`))
const server = await otherApp({ oidc: provider.settings, publicUrl: undefined })
const origin = await server.app.listen({ port: 0, host: '127.0.0.1' })
origins.push(origin)
provider.become({ sub: 'ann' })

test('without a provider the addresses lead nowhere', async () => {
  for (const path of ['/auth/oidc', '/auth/oidc/callback?code=1&state=1']) {
    expect((await call(null, 'GET', path)).body).toEqual(failure('not_found', 'Not found'))
  }
})

test('a place to return to comes back with the code', async () => {
  const place = '/app/houses/1/rooms/2?message=3'
  const begin = `${origin}/auth/oidc?return_to=${encodeURIComponent(place)}`
  const landed = await createBrowser().follow(begin, /\/app\/oidc/)
  expect([landed.origin, landed.searchParams.get('return_to')]).toEqual([origin, place])
})

test.each([
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '/app/\\evil.example',
  '/application',
  'app/',
  'javascript:alert(1)',
  '/app/\r\nx: y',
  `/app/${'x'.repeat(600)}`,
])('%j is no place to return to', async (place) => {
  const answer = await server.call(null, 'GET', `/auth/oidc?return_to=${encodeURIComponent(place)}`)
  expect(answer.body).toEqual(failure('invalid_schema', 'Invalid fields (return_to)'))
  expect(answer.headers.location).toBeUndefined()
})

test('a provider that does not answer makes the login unavailable, until it answers', async () => {
  const away = await otherApp({ oidc: { ...provider.settings, issuer: 'http://127.0.0.1:1' } })
  const answer = await away.call(null, 'GET', '/auth/oidc')
  expect([answer.status, answer.body]).toEqual([503, unavailable])
})

test('an address may begin five logins at once', async () => {
  const changes = { oidc: provider.settings, rateLimit: true, publicUrl: undefined }
  const limited = await otherApp(changes, { now: () => 0 })
  const statuses = []
  for (let n = 0; n < 6; n += 1) statuses.push((await limited.call(null, 'GET', '/auth/oidc')).status)
  expect(statuses).toEqual([302, 302, 302, 302, 302, 429])
  // The other steps of a login count by themselves.
  expect((await limited.call(null, 'POST', '/auth/oidc', { code: 'x' })).status).toBe(400)
})
