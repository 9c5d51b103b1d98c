import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { fieldsInvalid } from '../../errors.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { readPage } from '../../http/schemas/pages.ts'
import { IdParams, PageQuery } from '../../http/schemas/params.ts'
import { CompactUser } from '../../users/schemas.ts'
import { serializeCompactUser } from '../../users/serializers.ts'
import { addReaction, listReactionUsers, removeReaction } from './operations.ts'
import type { ReactionKey } from './queries.ts'
import { qualifiedEmoji, Reaction } from './schemas.ts'

const ReactionParams = Type.Object({
  ...IdParams('id', 'message_id').properties,
  emoji: Type.String({ description: 'one emoji of Unicode (RGI), percent-encoded' }),
})

const path = '/rooms/:id/messages/:message_id/reactions/:emoji'

export const reactionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.put(
    path,
    {
      config: { limitedAs: 'reactions' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'addReaction',
        summary: 'React to a message',
        tags: ['messages'],
        params: ReactionParams,
        response: { 200: Success(Reaction), ...failures },
      },
    },
    async ({ caller, params }) => ok(await app.publish(await addReaction(app.db, caller.id, keyOf(params)))),
  )

  app.delete(
    path,
    {
      config: { limitedAs: 'reactions' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'removeReaction',
        summary: 'Remove your reaction from a message',
        tags: ['messages'],
        params: ReactionParams,
        response: { 200: Success(Reaction), ...failures },
      },
    },
    async ({ caller, params }) =>
      ok(await app.publish(await removeReaction(app.db, caller.id, keyOf(params)))),
  )

  app.get(
    path,
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listReactionUsers',
        summary: 'List the users who reacted with an emoji',
        tags: ['messages'],
        params: ReactionParams,
        querystring: PageQuery,
        response: { 200: Success(Type.Array(CompactUser)), ...failures },
      },
    },
    async ({ caller, params, query }) => {
      const key = keyOf(params)
      const users = await listReactionUsers(app.db, caller.id, key, readPage(query))
      return ok(users.map(serializeCompactUser))
    },
  )
}

/** Throws `invalid_schema` unless the emoji is one. */
function keyOf({
  id: room_id,
  message_id,
  emoji: sent,
}: {
  id: string
  message_id: string
  emoji: string
}): ReactionKey {
  const emoji = qualifiedEmoji(sent)
  if (emoji === undefined) throw fieldsInvalid('emoji')
  return { room_id, message_id, emoji }
}
