import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { readPage } from '../../http/schemas/pages.ts'
import { callerInHouse, IdParam } from '../../http/schemas/params.ts'
import { listAuditLog } from './operations.ts'
import { AuditLogEntry, AuditLogQuery } from './schemas.ts'

export const auditLogRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/houses/:id/audit-log',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listAuditLog',
        summary: 'List the audit log of a house, newest first',
        tags: ['audit log'],
        params: IdParam,
        querystring: AuditLogQuery,
        response: { 200: Success(Type.Array(AuditLogEntry)), ...failures },
      },
    },
    async (request) => {
      const { action, user_id, ...paging } = request.query
      const page = readPage(paging)
      const { auditLogDays } = app.config
      return ok(await listAuditLog(app.db, callerInHouse(request), { action, user_id }, page, auditLogDays))
    },
  )
}
