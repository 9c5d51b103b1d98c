import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { availabilityCheck } from '../../database/client.ts'
import { listPendingMigrations } from '../../database/migrations/migrate.ts'
import { ApiError } from '../../errors.ts'
import { nodeNumber } from '../../ids.ts'
import { failures, ok, Success } from '../schemas/envelope.ts'

export const Health = Type.Object({ status: Type.Literal('ok') })
/** docs/api.md#service. */
export const Ready = Type.Object({
  ...Health.properties,
  database_space: Type.Optional(Type.Literal('low')),
})

export const healthRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const isUnavailable = availabilityCheck(app.db)
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
          'Answers 503 while messages cannot be sent: until the database is reachable and migrated, while the process cannot read the event log, and while the disk of the database is full. `database_space` is there while that disk is nearly full.',
        tags: ['service'],
        response: { 200: Success(Ready), ...failures },
      },
    },
    async (request) => {
      const pending = await listPendingMigrations(app.db).catch((error: unknown) => {
        request.log.warn({ err: error }, 'not ready')
        throw new ApiError('unavailable')
      })
      const { state } = app.databaseSpace
      const canSend = pending.length === 0 && app.bus.isReading && nodeNumber() !== null
      // A commit that waits for its disk or its standby leaves reads as they are.
      if (!canSend || state === 'full' || isUnavailable()) throw new ApiError('unavailable')
      return ok({ status: 'ok' as const, ...(state === 'low' && { database_space: state }) })
    },
  )
}
