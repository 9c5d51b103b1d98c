import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { listPendingMigrations } from '../../database/migrations/migrate.ts'
import { ApiError } from '../../errors.ts'
import { failures, ok, Success } from '../schemas/envelope.ts'

export const Health = Type.Object({ status: Type.Literal('ok') })
/** docs/api.md#service. */
export const Ready = Type.Object({
  ...Health.properties,
  database_space: Type.Optional(Type.Union([Type.Literal('low'), Type.Literal('full')])),
})

export const healthRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/health',
    {
      schema: {
        operationId: 'getHealth',
        summary: 'Check that the process runs',
        tags: ['service'],
        response: { 200: Success(Health), ...failures },
      },
    },
    async () => ok({ status: 'ok' as const }),
  )

  app.get(
    '/ready',
    {
      schema: {
        operationId: 'getReady',
        summary: 'Check that the process can serve requests',
        description:
          'Answers 503 until the database is reachable and migrated, and while the process cannot read the event log. `database_space` is there while the disk of the database is nearly full (`low`) or full.',
        tags: ['service'],
        response: { 200: Success(Ready), ...failures },
      },
    },
    async (request) => {
      const pending = await listPendingMigrations(app.db).catch((error: unknown) => {
        request.log.warn({ err: error }, 'not ready')
        throw new ApiError('unavailable')
      })
      if (pending.length > 0 || !app.bus.isReading) throw new ApiError('unavailable')
      const { state } = app.databaseSpace
      const warning = state === 'low' || state === 'full' ? { database_space: state } : {}
      return ok({ status: 'ok' as const, ...warning })
    },
  )
}
