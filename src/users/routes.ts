import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../errors.ts'
import { failures, ok, Success } from '../http/envelope.ts'
import { isId } from '../ids.ts'
import { ownUser, strangersUser } from './forms.ts'
import { findUser, findUserByUsername } from './queries.ts'
import { FullUser } from './schemas.ts'

const UserRef = Type.Object({
  ref: Type.String({ description: 'an id, or a username with or without a leading @' }),
})

export const userRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/users/@me',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'getOwnUser',
        summary: 'Fetch own user',
        tags: ['users'],
        security: [{ token: [] }],
        response: { 200: Success(FullUser), ...failures },
      },
    },
    async (request) => {
      const user = await findUser(app.db, request.caller.id)
      if (!user) throw new ApiError('no_auth')
      return ok(ownUser(user))
    },
  )

  app.get(
    '/users/:ref',
    {
      onRequest: app.recognize,
      schema: {
        operationId: 'getUser',
        summary: 'Look a user up by id or username',
        tags: ['users'],
        params: UserRef,
        response: { 200: Success(FullUser), ...failures },
      },
    },
    async (request) => {
      const ref = request.params.ref.replace(/^@/, '').toLowerCase()
      const user =
        (isId(ref) && (await findUser(app.db, ref))) || (await findUserByUsername(app.db, usernameOf(ref)))
      if (!user) throw new ApiError('user_not_found')
      return ok(user.id === request.caller?.id ? ownUser(user) : strangersUser(user))
    },
  )
}

/** The text itself where it can be a username; nobody's name where it holds what the database could not even take. */
function usernameOf(ref: string): string {
  return /^[a-z0-9_.-]{1,64}$/.test(ref) ? ref : ''
}
