import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../errors.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { IdParam } from '../../http/schemas/params.ts'
import { openPushTransport } from '../../push/transport.ts'
import { startNotifying } from './notifying-operations.ts'
import { subscribeToPushes, unsubscribeFromPushes } from './operations.ts'
import { PushSubscriptionId, SubscribeToPushes } from './schemas.ts'
import { createPushSender } from './sending-operations.ts'

export const pushSubscriptionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  sendPushes(app)

  app.post(
    '/users/@me/push-subscriptions',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'subscribeToPushes',
        summary: 'Subscribe a browser to your pushes',
        tags: ['accounts'],
        body: SubscribeToPushes,
        response: { 200: Success(PushSubscriptionId), ...failures },
      },
    },
    async ({ caller, body }, reply) => {
      if (app.vapidKeys === undefined) {
        throw new ApiError('not_offered', { message: 'This server does not offer push' })
      }
      await app.limits.pushSubscriptions.count(caller.owner_id, { reply, onlyRefused: true })
      return ok(await subscribeToPushes(app.db, caller, body))
    },
  )

  app.delete(
    '/users/@me/push-subscriptions/:id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'unsubscribeFromPushes',
        summary: 'End a subscription to your pushes',
        tags: ['accounts'],
        params: IdParam,
        response: { 200: Success(PushSubscriptionId), ...failures },
      },
    },
    async ({ caller, params }) => ok(await unsubscribeFromPushes(app.db, caller, params.id)),
  )
}

/** Sends pushes from when the app is ready until it closes, if they are offered. */
function sendPushes(app: FastifyInstance): void {
  const { vapidKeys, pushNetwork, config } = app
  if (vapidKeys === undefined || config.vapidSubject === undefined) return
  const transport = openPushTransport(config.vapidSubject, vapidKeys, pushNetwork)
  const report = (error: unknown) => app.log.error({ err: error }, 'could not push')
  let stop: (() => Promise<void>) | undefined
  app.addHook('onReady', async () => {
    stop = startNotifying(app.db, app.bus, createPushSender(app.db, transport, app.countPush, report), report)
  })
  app.addHook('onClose', () => stop?.())
}
