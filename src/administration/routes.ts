import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { Gauge } from 'prom-client'
import { isAdmin } from '../auth/queries.ts'
import { listProcesses } from '../http/metrics/processes.ts'
import { failures, ok, Success } from '../http/schemas/envelope.ts'
import { readPage } from '../http/schemas/pages.ts'
import { PageQuery } from '../http/schemas/params.ts'
import { version } from '../http/server/version.ts'
import { idTimeMs } from '../ids.ts'
import { backupVerified } from './audit-log/operations.ts'
import { findNewestServerAuditEntry, listServerAuditEntries } from './audit-log/queries.ts'
import { getTotals } from './overview-queries.ts'
import { AdminOverview, OwnAdministration, ServerAuditEntry } from './schemas.ts'
import { serializeServerAuditEntry } from './serializers.ts'

/** Shows when the last backup was verified; what was read last while the database is unavailable. */
function showVerifiedBackup(app: FastifyInstance): void {
  let seconds = 0
  new Gauge({
    name: 'hearth_backup_verified_timestamp_seconds',
    help: 'When the last backup was verified, 0 if none was; every process shows the same: use max',
    aggregator: 'max',
    registers: [app.metrics],
    async collect() {
      const id = await findNewestServerAuditEntry(app.db, backupVerified).catch(() => undefined)
      if (id !== undefined) seconds = idTimeMs(id) / 1000
      this.set(seconds)
    },
  })
}

export const administrationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  showVerifiedBackup(app)

  app.get(
    '/users/@me/admin',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'getOwnAdministration',
        summary: 'Fetch whether you are an admin of the server',
        tags: ['administration'],
        response: { 200: Success(OwnAdministration), ...failures },
      },
    },
    async ({ caller }) => ok({ admin: await isAdmin(app.db, caller.id) }),
  )

  app.get(
    '/admin/overview',
    {
      onRequest: app.authenticateAdmin,
      schema: {
        operationId: 'getAdminOverview',
        summary: 'Fetch what the server has and uses',
        tags: ['administration'],
        response: { 200: Success(AdminOverview), ...failures },
      },
    },
    async () => {
      const [totals, processes] = await Promise.all([getTotals(app.db), listProcesses(app)])
      const sockets = processes.reduce((sum, each) => sum + each.sockets, 0)
      return ok({ version, ...totals, sockets, processes })
    },
  )

  app.get(
    '/admin/audit-log',
    {
      onRequest: app.authenticateAdmin,
      schema: {
        operationId: 'listServerAuditLog',
        summary: 'List what admins and commands did, newest first',
        tags: ['administration'],
        querystring: PageQuery,
        response: { 200: Success(Type.Array(ServerAuditEntry)), ...failures },
      },
    },
    async ({ query }) =>
      ok((await listServerAuditEntries(app.db, readPage(query))).map(serializeServerAuditEntry)),
  )
}
