import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { fieldsRequired } from '../../errors.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { BackupCodes, BeginTotp, Code, DisableTotp, TotpDisabled, TotpSecret } from '../schemas.ts'
import { beginTotp, disableTotp, enableTotp } from './operations.ts'

export const mfaRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/users/@me/mfa/totp',
    {
      config: { limitedAs: 'secrets' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'beginTotp',
        summary: 'Create a TOTP secret, to be confirmed by a first code',
        tags: ['accounts'],
        body: BeginTotp,
        response: { 200: Success(TotpSecret), ...failures },
      },
    },
    async (request) => ok(await beginTotp(app.db, request.caller, request.body.password)),
  )

  app.post(
    '/users/@me/mfa/totp/enable',
    {
      config: { limitedAs: 'secrets' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'enableTotp',
        summary: 'Enable two-factor authentication and return the backup codes',
        tags: ['accounts'],
        body: Code,
        response: { 200: Success(BackupCodes), ...failures },
      },
    },
    async ({ caller, body }) => {
      const backup_codes = await enableTotp(app.db, caller.id, body.code)
      app.notifyOwner(caller.id, 'totp_enabled')
      return ok({ backup_codes })
    },
  )

  app.delete(
    '/users/@me/mfa/totp',
    {
      config: { limitedAs: 'secrets' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'disableTotp',
        summary: 'Disable two-factor authentication with a code or the password',
        tags: ['accounts'],
        body: DisableTotp,
        response: { 200: Success(TotpDisabled), ...failures },
      },
    },
    async ({ caller, body }, reply) => {
      if (body.code === undefined && body.password === undefined) throw fieldsRequired('code')
      await disableTotp(app.db, caller, body, app.codeGuesses(reply))
      app.notifyOwner(caller.id, 'totp_disabled')
      return ok({ mfa_enabled: false as const })
    },
  )
}
