import type * as client from 'openid-client'
import type { OidcSettings } from '../config.ts'

/** How long a request to the provider may take. */
const timeoutSeconds = 10

/** What is known of a login between its begin and the answer of the provider; the browser keeps it in a cookie. */
export type PendingLogin = { state: string; nonce: string; verifier: string }

/** Whom the provider has confirmed. */
export type OidcProfile = {
  email: string | null
  email_verified: boolean
  username: string | null
  name: string | null
}
export type OidcIdentity = { issuer: string; subject: string; profile: OidcProfile }

export type OidcProvider = {
  /** The address at which somebody confirms who they are, for an answer to `redirectUri`. */
  begin(redirectUri: string): Promise<{ address: string; pending: PendingLogin }>
  /** Takes the answer of the provider: the whole address that it has led to. Throws where it is not a good one. */
  finish(answer: URL, pending: PendingLogin): Promise<OidcIdentity>
}

/** Loaded with the first login. */
const loadLibrary = () => import('openid-client')

/** A provider of OpenID Connect. It is asked for its addresses by the first login, and again until it has answered. */
export function openOidcProvider(settings: OidcSettings): OidcProvider {
  let discovered: Promise<client.Configuration> | undefined
  function configuration(): Promise<client.Configuration> {
    discovered ??= configure(settings).catch((error: unknown) => {
      discovered = undefined
      throw error
    })
    return discovered
  }

  return {
    async begin(redirectUri) {
      const library = await loadLibrary()
      const pending = {
        state: library.randomState(),
        nonce: library.randomNonce(),
        verifier: library.randomPKCECodeVerifier(),
      }
      const address = library.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      })
      return { address: address.href, pending }
    },
    async finish(answer, { state, nonce, verifier }) {
      const library = await loadLibrary()
      const config = await configuration()
      const tokens = await library.authorizationCodeGrant(config, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()!
      const { userinfo_endpoint } = config.serverMetadata()
      const more = userinfo_endpoint
        ? await library.fetchUserInfo(config, tokens.access_token, claims.sub)
        : {}
      return { issuer: claims.iss, subject: claims.sub, profile: readProfile(claims, more) }
    },
  }
}

/** Asks a provider for its addresses. Throws where it does not answer as one. */
export async function tryOidcProvider(settings: OidcSettings): Promise<void> {
  await configure(settings)
}

async function configure({ issuer, clientId, clientSecret }: OidcSettings): Promise<client.Configuration> {
  const library = await loadLibrary()
  // The settings take http: for a provider on this machine only.
  const execute = issuer.startsWith('http:') ? [library.allowInsecureRequests] : []
  const options = { execute, timeout: timeoutSeconds }
  const basic = library.ClientSecretBasic(clientSecret)
  const found = await library.discovery(new URL(issuer), clientId, undefined, basic, options)
  const methods = found.serverMetadata().token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  if (methods.includes('client_secret_basic')) return found
  const post = library.ClientSecretPost(clientSecret)
  return library.discovery(new URL(issuer), clientId, undefined, post, options)
}

type Claims = Record<string, unknown>

/**
 * Claims are what the provider, and perhaps the person, has written: only texts of a sensible length count. Those of the
 * user come before those of the token, but an address is as verified as where it stands.
 */
function readProfile(ofToken: Claims, ofUser: Claims): OidcProfile {
  const claims = { ...ofToken, ...ofUser }
  const textOf = (name: string) => {
    const value = claims[name]
    const isText = typeof value === 'string' && value.length <= 1000 && value.isWellFormed()
    return isText && value !== '' && !value.includes('\u0000') ? value : null
  }
  return {
    email: addressIn(textOf('email')),
    email_verified: ('email' in ofUser ? ofUser : ofToken).email_verified === true,
    username: textOf('preferred_username'),
    name: textOf('name'),
  }
}

/** An e-mail address as the API takes it: of up to 254 characters, with something on both sides of one `@`. */
function addressIn(text: string | null): string | null {
  return text !== null && text.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(text) ? text : null
}
