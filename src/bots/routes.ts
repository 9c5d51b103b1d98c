import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { Member } from '../houses/members/schemas.ts'
import { maxPictureBodyBytes } from '../http/bodies/body.ts'
import { actorInHouse } from '../http/schemas/audit-reason.ts'
import { failures, ok, Success } from '../http/schemas/envelope.ts'
import { IdParam } from '../http/schemas/params.ts'
import { addBot, createBot, deleteBot, editBot, rotateBotToken } from './operations.ts'
import { listBots } from './queries.ts'
import { AddBot, Bot, BotId, BotToken, CreateBot, CreatedBot, EditBot } from './schemas.ts'
import { serializeBot } from './serializers.ts'

export const botRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/bots',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'createBot',
        summary: 'Create a bot and return its token, which is shown only once',
        tags: ['bots'],
        body: CreateBot,
        response: { 200: Success(CreatedBot), ...failures },
      },
    },
    async (request) => ok(await createBot(app.db, request.caller, request.body)),
  )

  app.get(
    '/bots',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listBots',
        summary: 'List your bots, oldest first',
        tags: ['bots'],
        response: { 200: Success(Type.Array(Bot)), ...failures },
      },
    },
    async (request) => ok((await listBots(app.db, request.caller.id)).map(serializeBot)),
  )

  app.patch(
    '/bots/:id',
    {
      onRequest: app.authenticate,
      bodyLimit: maxPictureBodyBytes,
      config: { limitedAs: 'changes', refusesEmptyBody: true },
      schema: {
        operationId: 'editBot',
        summary: 'Update one of your bots',
        tags: ['bots'],
        params: IdParam,
        body: EditBot,
        response: { 200: Success(Bot), ...failures },
      },
    },
    async (request) =>
      ok(
        await app.publish(
          await editBot(
            app.db,
            app.store,
            app.pictureBudget(request),
            request.caller.id,
            request.params.id,
            request.body,
          ),
          request.caller,
        ),
      ),
  )

  app.post(
    '/bots/:id/token',
    {
      config: { goesOnWhenFull: true },
      onRequest: app.authenticate,
      schema: {
        operationId: 'rotateBotToken',
        summary: 'Replace the token of one of your bots',
        tags: ['bots'],
        params: IdParam,
        response: { 200: Success(BotToken), ...failures },
      },
    },
    async ({ caller, params }) => ok(await app.publish(await rotateBotToken(app.db, caller, params.id))),
  )

  app.delete(
    '/bots/:id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'deleteBot',
        summary: 'Delete one of your bots',
        tags: ['bots'],
        params: IdParam,
        response: { 200: Success(BotId), ...failures },
      },
    },
    async ({ caller, params }) => ok(await app.publish(await deleteBot(app.db, caller.id, params.id))),
  )

  app.post(
    '/houses/:id/bots',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'addBot',
        summary: 'Add one of your bots, or a public bot, to a house',
        tags: ['bots'],
        params: IdParam,
        body: AddBot,
        response: { 200: Success(Member), ...failures },
      },
    },
    async (request) =>
      ok(await app.publish(await addBot(app.db, actorInHouse(request), request.body.bot_id), request.caller)),
  )
}
