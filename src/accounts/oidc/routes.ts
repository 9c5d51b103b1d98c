import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { openOidcProvider, type PendingLogin } from '../../auth/oidc.ts'
import { createSealedCookie } from '../../auth/sealed-cookie.ts'
import { ApiError } from '../../errors.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { ExtendedErrors } from '../../http/schemas/params.ts'
import { deviceOf } from '../../http/server/device.ts'
import { publicUrl } from '../../http/server/public-url.ts'
import { BeginOidc, Code, LoggedIn } from '../schemas.ts'
import { issueOidcCode, logInByOidc } from './operations.ts'

/** How long somebody may take at the provider. */
const pendingSeconds = 600
/** The page of the web client that takes the login. */
const landing = '/app/oidc'

type Pending = PendingLogin & { returnTo: string }

/** Login by OpenID Connect; without a provider the addresses lead nowhere. */
export const oidcRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { oidc: settings, registration } = app.config
  const provider = settings && openOidcProvider(settings)
  const cookie = settings && createSealedCookie<Pending>('hearth-oidc', settings.clientSecret, pendingSeconds)
  const redirectUri = () => `${publicUrl(app)}/auth/oidc/callback`
  const isSecure = () => publicUrl(app).startsWith('https:')
  const config = { limitedAs: 'auth' } as const

  app.get(
    '/auth/oidc',
    {
      config,
      schema: {
        operationId: 'beginOidc',
        summary: 'Begin a login at the OpenID Connect provider, in a browser',
        tags: ['accounts'],
        querystring: BeginOidc,
        response: { 302: Type.Null(), ...failures },
      },
    },
    async (request, reply) => {
      if (!provider || !cookie) throw new ApiError('not_found')
      const { address, pending } = await provider.begin(redirectUri()).catch((error: unknown) => {
        request.log.warn({ err: error }, 'the OpenID Connect provider does not answer')
        throw new ApiError('unavailable')
      })
      const { return_to: returnTo = '/app/' } = request.query
      return reply.header('set-cookie', cookie.header({ ...pending, returnTo }, isSecure())).redirect(address)
    },
  )

  app.get(
    '/auth/oidc/callback',
    {
      config,
      schema: {
        operationId: 'finishOidc',
        summary: 'Take the answer of the provider, and lead to the web client with a code',
        description: 'The query is that of the provider.',
        tags: ['accounts'],
        response: { 302: Type.Null(), ...failures },
      },
    },
    async (request, reply) => {
      if (!provider || !cookie) throw new ApiError('not_found')
      reply.header('set-cookie', cookie.header(undefined, isSecure()))
      const pending = cookie.read(request.headers.cookie)
      if (!pending) return reply.redirect(`${landing}?error=expired`)
      const { search } = new URL(request.raw.url ?? '/', 'http://localhost')
      const identity = await provider
        .finish(new URL(`${redirectUri()}${search}`), pending)
        .catch((error: unknown) => {
          request.log.warn({ err: error }, 'a login by OpenID Connect failed')
          return undefined
        })
      if (!identity) return reply.redirect(`${landing}?error=refused`)
      const code = await issueOidcCode(app.db, identity)
      return reply.redirect(`${landing}?${new URLSearchParams({ code, return_to: pending.returnTo })}`)
    },
  )

  app.post(
    '/auth/oidc',
    {
      config: { limitedAs: 'auth', goesOnWhenFull: true },
      schema: {
        operationId: 'logInByOidc',
        summary: 'Log in with the code that a login at the provider has led to',
        tags: ['accounts'],
        querystring: ExtendedErrors,
        body: Code,
        response: { 200: Success(LoggedIn), ...failures },
      },
    },
    async (request) => {
      const rules = {
        linksByEmail: settings?.linksByEmail ?? false,
        isOpen: registration === 'open',
        requireSpace: app.requireDatabaseSpace,
        extended: request.query.extended === 'true',
      }
      const outcome = await logInByOidc(app.db, request.body.code, rules, deviceOf(request))
      const { linked, ...answer } = await app.publish(outcome)
      if (linked) app.notifyOwner(answer.user.id, 'oidc_linked')
      return ok(answer)
    },
  )
}
