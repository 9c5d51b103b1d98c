import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ApiError } from '../errors.ts'
import { failures, ok, Success } from '../http/envelope.ts'
import { verificationMail } from '../mail/mails.ts'
import { changeEmail, findUnprovenEmail, issueCode, verifyEmail } from './code-operations.ts'
import { findCredentials } from './queries.ts'
import { ChangeEmail, Code, EmailAddress, VerifiedEmail } from './schemas.ts'

export const emailRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/auth/verify-email',
    {
      config: { limitedAs: 'auth' },
      schema: {
        operationId: 'verifyEmail',
        summary: 'Prove an e-mail address by the code that was sent to it',
        tags: ['accounts'],
        body: Code,
        response: { 200: Success(VerifiedEmail), ...failures },
      },
    },
    async (request) => ok(await app.publish(await verifyEmail(app.db, request.body.code))),
  )

  app.post(
    '/auth/verify-email/resend',
    {
      config: { limitedAs: 'auth' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'resendVerification',
        summary: 'Have another code sent to the address that is still to be proven',
        tags: ['accounts'],
        response: { 200: Success(EmailAddress), ...failures },
      },
    },
    async ({ caller }) => {
      if (caller.bot) throw new ApiError('no_permission')
      const account = await findCredentials(app.db, caller.id)
      if (!account) throw new ApiError('no_auth')
      const email = await findUnprovenEmail(app.db, account)
      if (email !== undefined && app.mailer) {
        app.mailer.send(verificationMail(await issueCode(app.db, caller.id, 'verify_email', email)))
      }
      return ok({ email: email ?? account.email ?? '' })
    },
  )

  app.patch(
    '/users/@me/email',
    {
      config: { limitedAs: 'secrets' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'changeEmail',
        summary: 'Change the own e-mail address, once its code has come back',
        tags: ['accounts'],
        body: ChangeEmail,
        response: { 200: Success(EmailAddress), ...failures },
      },
    },
    async (request) => {
      const issued = await changeEmail(app.db, request.caller, request.body)
      if (issued) app.mailer?.send(verificationMail(issued))
      return ok({ email: request.body.email })
    },
  )
}
