import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { afterAll } from 'vitest'

type Claims = {
  sub: string
  email?: string
  email_verified?: boolean
  preferred_username?: string
  name?: string
}

/** A provider of OpenID Connect on 127.0.0.1 where nobody types anything: who is asked there is `person`. */
export async function startOidcProvider(redirectUris: () => string[]) {
  let person: Claims = { sub: 'nobody' }
  let inToken: Omit<Claims, 'sub'> = {}
  let isRefusing = false
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let callback: ReturnType<Provider['callback']> | undefined
  let provider: Provider | undefined

  /** Made with the first request, when the addresses of those whom it serves are known. */
  function make(): Provider {
    const made = new Provider(issuer, {
      clients: [{ client_id: 'hearth', client_secret: clientSecret, redirect_uris: redirectUris() }],
      cookies: { keys: ['of the test'] },
      // The browsers of tests of the web client forget the cookie of an interaction by the clock of the machine, from
      // which the one of this process differs.
      ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: tenYears, Session: 60 },
      pkce: { required: () => true },
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['name', 'preferred_username'],
      },
      features: { devInteractions: { enabled: false } },
      conformIdTokenClaims: false,
      findAccount: (_context: object, accountId: string) => ({
        accountId,
        claims: (use: string) => (use === 'id_token' ? { ...inToken, sub: person.sub } : { ...person }),
      }),
      loadExistingGrant: async (context: GrantContext) => {
        const grant = new context.oidc.provider.Grant({
          clientId: context.oidc.client.clientId,
          accountId: context.oidc.session.accountId,
        })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
      interactions: { url: () => '/interaction' },
    })
    callback = made.callback()
    return made
  }

  server.on('request', (request, response) => {
    provider ??= make()
    if (request.url !== '/interaction') return callback?.(request, response)
    const result = isRefusing ? { error: 'access_denied' } : { login: { accountId: person.sub } }
    void provider.interactionFinished(request, response, result)
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    issuer,
    settings: { issuer, clientId: 'hearth', clientSecret, linksByEmail: false },
    /** Lets somebody be who is asked from now on; `token`: what the ID token says of them. */
    become(next: Claims, token: Omit<Claims, 'sub'> = {}) {
      person = next
      inToken = token
    },
    refuse(is: boolean) {
      isRefusing = is
    },
  }
}

const clientSecret = 'a-secret-of-both'
/** In seconds. */
const tenYears = 315_360_000

type Grant = { addOIDCScope(scope: string): void; save(): Promise<void> }
type GrantContext = {
  oidc: {
    provider: { Grant: new (of: { clientId: string; accountId: string }) => Grant }
    client: { clientId: string }
    session: { accountId: string }
  }
}

/** A browser that has cookies, and follows links as far as one says. */
export function createBrowser() {
  const cookies = new Map<string, string>()
  return {
    cookies,
    /** Asks once. Gives the status and where it leads. */
    async visit(address: string): Promise<{ status: number; location: string; body: string }> {
      const header = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const answer = await fetch(address, { redirect: 'manual', headers: { cookie: header } })
      for (const line of answer.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
        if (value === '') cookies.delete(name!)
        else cookies.set(name!, value!)
      }
      const location = answer.headers.get('location')
      const body = await answer.text()
      return { status: answer.status, location: location ? new URL(location, address).href : '', body }
    },
    /** Follows links until one fits. */
    async follow(address: string, until: RegExp): Promise<URL> {
      for (let at = address, steps = 0; steps < 12; steps += 1) {
        if (until.test(at)) return new URL(at)
        const { location, status, body } = await this.visit(at)
        if (location === '') throw new Error(`${at} leads nowhere: ${status} ${body}`)
        at = location
      }
      throw new Error(`${address} leads around in circles`)
    },
  }
}
