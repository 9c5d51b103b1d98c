import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { readAscendingPage } from '../../http/schemas/pages.ts'
import { IdParam } from '../../http/schemas/params.ts'
import { AdministeredId, AdministeredUser, AdministerUser, AdminListQuery } from '../schemas.ts'
import { serializeAdministeredUser } from '../serializers.ts'
import { administerAccount, deleteAccount, endSessionsOf, getAccount } from './operations.ts'
import { listAccounts } from './queries.ts'

export const accountAdministrationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/admin/users',
    {
      onRequest: app.authenticateAdmin,
      schema: {
        operationId: 'listAdministeredUsers',
        summary: 'List the accounts of the server, by id',
        description: '`q` is an id, or part of a username, a name or an e-mail address.',
        tags: ['administration'],
        querystring: AdminListQuery,
        response: { 200: Success(Type.Array(AdministeredUser)), ...failures },
      },
    },
    async ({ query }) => {
      const rows = await listAccounts(app.db, { q: query.q, ...readAscendingPage(query) })
      return ok(rows.map(serializeAdministeredUser))
    },
  )

  app.get(
    '/admin/users/:id',
    {
      onRequest: app.authenticateAdmin,
      schema: {
        operationId: 'getAdministeredUser',
        summary: 'Fetch an account of the server',
        tags: ['administration'],
        params: IdParam,
        response: { 200: Success(AdministeredUser), ...failures },
      },
    },
    async ({ params }) => ok(await getAccount(app.db, params.id)),
  )

  app.patch(
    '/admin/users/:id',
    {
      config: { goesOnWhenFull: true, refusesEmptyBody: true },
      onRequest: app.authenticateAdmin,
      schema: {
        operationId: 'administerUser',
        summary:
          'Disable or enable an account, make it an admin or none, or disable its two-factor authentication',
        tags: ['administration'],
        params: IdParam,
        body: AdministerUser,
        response: { 200: Success(AdministeredUser), ...failures },
      },
    },
    async ({ caller, params, body }) => {
      const disables = body.mfa_enabled === false && (await getAccount(app.db, params.id)).user.mfa_enabled
      const answer = await app.publish(await administerAccount(app.db, caller, params.id, body))
      if (disables) app.notifyOwner(params.id, 'totp_disabled')
      return ok(answer)
    },
  )

  app.delete(
    '/admin/users/:id',
    {
      onRequest: app.authenticateAdmin,
      schema: {
        operationId: 'deleteAdministeredUser',
        summary: 'Delete an account and its bots',
        tags: ['administration'],
        params: IdParam,
        response: { 200: Success(AdministeredId), ...failures },
      },
    },
    async ({ caller, params }) => ok(await app.publish(await deleteAccount(app.db, caller, params.id))),
  )

  app.delete(
    '/admin/users/:id/sessions',
    {
      onRequest: app.authenticateAdmin,
      schema: {
        operationId: 'endSessionsOfUser',
        summary: 'End the login sessions of an account',
        tags: ['administration'],
        params: IdParam,
        response: { 200: Success(AdministeredId), ...failures },
      },
    },
    async ({ caller, params }) => ok(await app.publish(await endSessionsOf(app.db, caller, params.id))),
  )
}
