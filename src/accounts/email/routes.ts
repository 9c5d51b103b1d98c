import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ApiError } from '../../errors.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { changeEmail, findUnverifiedEmail, issueCode, verifyEmail } from '../codes/operations.ts'
import { findCredentials } from '../queries.ts'
import { ChangeEmail, Code, EmailAddress, VerifiedEmail } from '../schemas.ts'

export const emailRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/auth/verify-email',
    {
      config: { goesOnWhenFull: true, limitedAs: 'auth' },
      schema: {
        operationId: 'verifyEmail',
        summary: 'Verify an e-mail address with the code sent to it',
        tags: ['accounts'],
        body: Code,
        response: { 200: Success(VerifiedEmail), ...failures },
      },
    },
    async ({ body }) => {
      const { user_id, former } = await app.publish(await verifyEmail(app.db, body.code))
      if (former !== null) app.notifyOwner(user_id, 'email_changed', former)
      return ok({ email_verified: true as const })
    },
  )

  app.post(
    '/auth/verify-email/resend',
    {
      config: { limitedAs: 'auth' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'resendVerification',
        summary: 'Resend the verification code',
        tags: ['accounts'],
        response: { 200: Success(EmailAddress), ...failures },
      },
    },
    async ({ caller }) => {
      if (caller.bot) throw new ApiError('no_permission')
      const account = await findCredentials(app.db, caller.id)
      if (!account) throw new ApiError('no_auth')
      const email = await findUnverifiedEmail(app.db, account)
      if (email !== undefined && app.mails) {
        await app.limits.namedMails.count(caller.id)
        await issueCode(app.db, caller.id, 'verify_email', email)
        app.mails.send({ user_id: caller.id, kind: 'verify_email', email })
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
        summary: 'Request a change of your e-mail address',
        tags: ['accounts'],
        body: ChangeEmail,
        response: { 200: Success(EmailAddress), ...failures },
      },
    },
    async ({ caller, body }) => {
      const countMail = async () => {
        if (app.mails) await app.limits.namedMails.count(caller.id)
      }
      const issued = await changeEmail(app.db, caller, body, countMail)
      if (issued) app.mails?.send({ user_id: caller.id, kind: 'verify_email', email: issued.email })
      return ok({ email: body.email })
    },
  )
}
