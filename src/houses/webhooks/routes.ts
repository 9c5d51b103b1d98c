import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { maxPictureBodyBytes } from '../../http/bodies/body.ts'
import { actorInHouse } from '../../http/schemas/audit-reason.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { callerInHouse, IdParam, IdParams } from '../../http/schemas/params.ts'
import { publicUrl } from '../../http/server/public-url.ts'
import { createWebhook, deleteWebhook, editWebhook, listWebhooks, rotateWebhookToken } from './operations.ts'
import { CreateWebhook, DeletedWebhook, EditWebhook, Webhook, WebhookWithUrl } from './schemas.ts'

const WebhookParams = IdParams('id', 'webhook_id')

export const webhookRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/houses/:id/webhooks',
    {
      onRequest: app.authenticate,
      bodyLimit: maxPictureBodyBytes,
      schema: {
        operationId: 'createWebhook',
        summary: 'Create a webhook and return its address, which is shown only once',
        tags: ['webhooks'],
        params: IdParam,
        body: CreateWebhook,
        response: { 200: Success(WebhookWithUrl), ...failures },
      },
    },
    async (request) => {
      const { body } = request
      const created = await createWebhook(
        app.db,
        app.store,
        app.pictureBudget(request),
        actorInHouse(request),
        body,
        publicUrl(app),
      )
      return ok(await app.publish(created))
    },
  )

  app.get(
    '/houses/:id/webhooks',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listWebhooks',
        summary: 'List the webhooks of a house, oldest first',
        tags: ['webhooks'],
        params: IdParam,
        response: { 200: Success(Type.Array(Webhook)), ...failures },
      },
    },
    async (request) => ok(await listWebhooks(app.db, callerInHouse(request))),
  )

  app.patch(
    '/houses/:id/webhooks/:webhook_id',
    {
      onRequest: app.authenticate,
      bodyLimit: maxPictureBodyBytes,
      config: { refusesEmptyBody: true },
      schema: {
        operationId: 'editWebhook',
        summary: 'Update a webhook',
        tags: ['webhooks'],
        params: WebhookParams,
        body: EditWebhook,
        response: { 200: Success(Webhook), ...failures },
      },
    },
    async (request) => {
      const { params, body } = request
      const caller = actorInHouse(request)
      return ok(
        await app.publish(
          await editWebhook(app.db, app.store, app.pictureBudget(request), caller, params.webhook_id, body),
        ),
      )
    },
  )

  app.delete(
    '/houses/:id/webhooks/:webhook_id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        tags: ['webhooks'],
        params: WebhookParams,
        response: { 200: Success(DeletedWebhook), ...failures },
      },
    },
    async (request) => {
      const { webhook_id } = request.params
      return ok(await app.publish(await deleteWebhook(app.db, actorInHouse(request), webhook_id)))
    },
  )

  app.post(
    '/houses/:id/webhooks/:webhook_id/token',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'rotateWebhookToken',
        summary: 'Replace the address of a webhook',
        tags: ['webhooks'],
        params: WebhookParams,
        response: { 200: Success(WebhookWithUrl), ...failures },
      },
    },
    async (request) => {
      const { webhook_id } = request.params
      const caller = actorInHouse(request)
      return ok(await app.publish(await rotateWebhookToken(app.db, caller, webhook_id, publicUrl(app))))
    },
  )
}
