import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { isTotpCode } from '../auth/codes.ts'
import { failures, ok, Success } from '../http/schemas/envelope.ts'
import { ExtendedErrors } from '../http/schemas/params.ts'
import { deviceOf } from '../http/server/device.ts'
import { publicUrl } from '../http/server/public-url.ts'
import { issueCode } from './codes/operations.ts'
import { logIn, register } from './operations.ts'
import { LoggedIn, LogIn, Register } from './schemas.ts'
import { logOut } from './sessions/operations.ts'

export const accountRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/auth/register',
    {
      config: { limitedAs: 'registration' },
      schema: {
        operationId: 'register',
        summary: 'Create an account',
        tags: ['accounts'],
        querystring: ExtendedErrors,
        body: Register,
        response: { 200: Success(LoggedIn), ...failures },
      },
    },
    async (request) => {
      const extended = request.query.extended === 'true'
      const rules = { mode: app.config.registration, server: publicUrl(app), extended }
      const answer = await app.publish(await register(app.db, request.body, deviceOf(request), rules))
      const { id, email } = answer.user
      // Not awaited: the account exists, and its user can request another code.
      if (app.mails) {
        issueCode(app.db, id, 'verify_email', email).then(
          () => app.mails?.send({ user_id: id, kind: 'verify_email', email }),
          (error) =>
            request.log.error({ err: error }, 'creating the verification code of a new account failed'),
        )
      }
      return ok(answer)
    },
  )

  app.post(
    '/auth/login',
    {
      config: { goesOnWhenFull: true, limitedAs: 'auth' },
      schema: {
        operationId: 'logIn',
        summary: 'Log in with a username or e-mail address and a password',
        tags: ['accounts'],
        querystring: ExtendedErrors,
        body: LogIn,
        response: { 200: Success(LoggedIn), ...failures },
      },
    },
    async (request, reply) => {
      const { body, query } = request
      const how = { guesses: app.codeGuesses(reply), extended: query.extended === 'true' }
      const answer = await logIn(app.db, body, deviceOf(request), how)
      const { id, mfa_enabled } = answer.user
      if (mfa_enabled && !isTotpCode(body.code ?? '')) app.notifyOwner(id, 'backup_code_used')
      return ok(answer)
    },
  )

  app.post(
    '/auth/logout',
    {
      config: { goesOnWhenFull: true },
      onRequest: app.authenticate,
      schema: {
        operationId: 'logOut',
        summary: 'End the login session of the token',
        tags: ['accounts'],
        response: { 204: Type.Null(), ...failures },
      },
    },
    async (request, reply) => {
      await app.publish(await logOut(app.db, request.caller))
      return reply.code(204).send(null)
    },
  )
}
