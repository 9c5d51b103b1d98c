import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success } from '../http/schemas/envelope.ts'
import { IdParams } from '../http/schemas/params.ts'
import { CompactUser } from '../users/schemas.ts'
import { serializeCompactUser } from '../users/serializers.ts'
import { liftBlock, setBlock } from './operations.ts'
import { relationshipType } from './permissions.ts'
import { listRelated } from './queries.ts'
import { Relationship } from './schemas.ts'

/** Blocks and restrictions have the same routes. */
const kinds = [
  { word: 'blocked', verb: 'block', type: relationshipType.blocked },
  { word: 'restricted', verb: 'restrict', type: relationshipType.restricted },
] as const

export const blockRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const { word, verb, type } of kinds) {
    app.get(
      `/relationships/@me/${word}`,
      {
        onRequest: app.authenticate,
        schema: {
          operationId: word === 'blocked' ? 'listBlocked' : 'listRestricted',
          summary: `List the users you ${verb}, by username`,
          tags: ['relationships'],
          response: { 200: Success(Type.Array(CompactUser)), ...failures },
        },
      },
      async (request) => ok((await listRelated(app.db, request.caller.id, type)).map(serializeCompactUser)),
    )

    app.put(
      `/relationships/@me/${word}/:user_id`,
      {
        config: { limitedAs: 'changes' },
        onRequest: app.authenticate,
        schema: {
          operationId: verb,
          summary: `${verb === 'block' ? 'Block' : 'Restrict'} a user`,
          description: 'Ends a friendship and pending requests with the user.',
          tags: ['relationships'],
          params: IdParams('user_id'),
          response: { 200: Success(Relationship), ...failures },
        },
      },
      async (request) =>
        ok(
          await app.publish(
            await setBlock(app.db, request.caller.id, request.params.user_id, type),
            request.caller,
          ),
        ),
    )

    app.delete(
      `/relationships/@me/${word}/:user_id`,
      {
        config: { limitedAs: 'changes' },
        onRequest: app.authenticate,
        schema: {
          operationId: `un${verb}`,
          summary: `Un${verb} a user`,
          tags: ['relationships'],
          params: IdParams('user_id'),
          response: { 200: Success(Relationship), ...failures },
        },
      },
      async (request) =>
        ok(
          await app.publish(
            await liftBlock(app.db, request.caller.id, request.params.user_id, type),
            request.caller,
          ),
        ),
    )
  }
}
