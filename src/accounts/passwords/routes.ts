import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { publicUrl } from '../../http/server/public-url.ts'
import { issueResetCode } from '../codes/operations.ts'
import { findCredentialsByEmail } from '../queries.ts'
import {
  AccountId,
  ChangePassword,
  CheckedPassword,
  CheckPassword,
  ForgotPassword,
  ResetDone,
  ResetPassword,
} from '../schemas.ts'
import { isGuessablePassword } from './guessing-operations.ts'
import { changePassword, resetPassword } from './operations.ts'

export const passwordRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/auth/forgot-password',
    {
      config: { goesOnWhenFull: true, limitedAs: 'auth' },
      schema: {
        operationId: 'forgotPassword',
        summary: 'Request a password reset code by e-mail',
        tags: ['accounts'],
        body: ForgotPassword,
        response: { 204: Type.Null(), ...failures },
      },
    },
    async (request, reply) => {
      const { email } = request.body
      const isText = email.isWellFormed() && !email.includes('\u0000')
      const account = isText ? await findCredentialsByEmail(app.db, email) : undefined
      // Not awaited: the response time must not disclose whether the address is known.
      if (account?.email && app.mails && (await app.limits.ownMails.allows(account.id))) {
        const mail = { user_id: account.id, kind: 'reset_password', email: account.email } as const
        issueResetCode(app.db, account.id, account.email).then(
          (issued) => issued && app.mails?.send(mail),
          (error) => request.log.error({ err: error }, 'creating a reset code failed'),
        )
      }
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/auth/check-password',
    {
      schema: {
        operationId: 'checkPassword',
        summary: 'Ask whether a password would be accepted',
        tags: ['accounts'],
        body: CheckPassword,
        response: { 200: Success(CheckedPassword), ...failures },
      },
    },
    async ({ body }) => {
      const isRefused = await isGuessablePassword(body.password, { ...body, server: publicUrl(app) })
      return ok({ accepted: !isRefused })
    },
  )

  app.post(
    '/auth/reset-password',
    {
      config: { goesOnWhenFull: true, limitedAs: 'auth' },
      schema: {
        operationId: 'resetPassword',
        summary: 'Set a new password with a reset code',
        tags: ['accounts'],
        body: ResetPassword,
        response: { 200: Success(ResetDone), ...failures },
      },
    },
    async ({ body }) => {
      const { user_id } = await app.publish(await resetPassword(app.db, body, publicUrl(app)))
      app.notifyOwner(user_id, 'password_reset')
      return ok({ reset: true as const })
    },
  )

  app.patch(
    '/users/@me/password',
    {
      config: { goesOnWhenFull: true, limitedAs: 'secrets' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'changePassword',
        summary: 'Change your password and end all other login sessions',
        tags: ['accounts'],
        body: ChangePassword,
        response: { 200: Success(AccountId), ...failures },
      },
    },
    async ({ caller, body }) => {
      const answer = await app.publish(await changePassword(app.db, caller, body, publicUrl(app)))
      app.notifyOwner(caller.id, 'password_changed')
      return ok(answer)
    },
  )
}
