import { beforeEach, expect, test } from 'vitest'
import { createBrowser, startOidcProvider } from '../../support/oidc.ts'
import { otherApp } from '../../support/other-app.ts'
import { db, uniqueName } from '../../support/world.ts'

const origins: string[] = []
const provider = await startOidcProvider(() => origins.map((origin) => `${origin}/auth/oidc/callback`))
const server = await otherApp({ oidc: provider.settings, publicUrl: undefined })
const origin = await server.app.listen({ port: 0, host: '127.0.0.1' })
origins.push(origin)
provider.become({ sub: 'ann' })
beforeEach(() => provider.refuse(false))

const begin = `${origin}/auth/oidc`
const isCallback = /\/auth\/oidc\/callback/

/** Takes an answer of the provider to the callback. Gives what the browser is told. */
async function finish(browser: ReturnType<typeof createBrowser>, answer: URL): Promise<string> {
  const { location } = await browser.visit(answer.href)
  return location.replace(origin, '')
}

/** A browser that comes back from the provider. */
async function comeBack() {
  const browser = createBrowser()
  return { browser, answer: await browser.follow(begin, isCallback) }
}

test('a login that another browser has begun is refused', async () => {
  const subject = uniqueName('subject')
  provider.become({ sub: subject })
  const { answer } = await comeBack()
  expect(await finish(createBrowser(), answer)).toBe('/app/oidc?error=expired')
  const other = createBrowser()
  await other.visit(begin)
  expect(await finish(other, answer)).toBe('/app/oidc?error=refused')
  const codes = await db.selectFrom('oidc_codes').selectAll().where('subject', '=', subject).execute()
  expect(codes).toEqual([])
})

test('an answer of the provider counts once', async () => {
  const { browser, answer } = await comeBack()
  const kept = new Map(browser.cookies)
  expect(await finish(browser, answer)).toMatch(/^\/app\/oidc\?code=[0-9a-f]{32}&return_to=%2Fapp%2F$/)
  expect(browser.cookies.has('hearth-oidc')).toBe(false)
  for (const [name, value] of kept) browser.cookies.set(name, value)
  expect(await finish(browser, answer)).toBe('/app/oidc?error=refused')
})

test.each([
  ['another state', 'state', 'x'.repeat(43)],
  ['no state', 'state', undefined],
  ['another code', 'code', 'x'.repeat(43)],
  ['no code', 'code', undefined],
  ['another issuer', 'iss', 'https://evil.example'],
])('an answer with %s is refused', async (_what, name, value) => {
  const { browser, answer } = await comeBack()
  if (value === undefined) answer.searchParams.delete(name)
  else answer.searchParams.set(name, value)
  expect(await finish(browser, answer)).toBe('/app/oidc?error=refused')
})

test('a cookie that is not of this server, or cut, is none', async () => {
  const { browser, answer } = await comeBack()
  const cookie = browser.cookies.get('hearth-oidc')!
  for (const wrong of ['x', cookie.slice(1), `${cookie.slice(0, -2)}AA`, '!'.repeat(4000)]) {
    browser.cookies.set('hearth-oidc', wrong)
    expect(await finish(browser, answer)).toBe('/app/oidc?error=expired')
  }
})

test('somebody whom the provider refuses comes back without a code', async () => {
  provider.refuse(true)
  const landed = await createBrowser().follow(begin, /\/app\/oidc/)
  expect(landed.search).toBe('?error=refused')
})

test('behind https the cookie is sent over https alone', async () => {
  const secure = await otherApp({ oidc: provider.settings, publicUrl: 'https://hearth.test' })
  const { headers } = await secure.call(null, 'GET', '/auth/oidc')
  expect(headers['set-cookie']).toMatch(/; Secure$/)
})
