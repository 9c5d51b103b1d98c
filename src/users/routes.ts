import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../errors.ts'
import { maxPictureBodyBytes } from '../http/bodies/body.ts'
import { failures, ok, Success } from '../http/schemas/envelope.ts'
import { editUser, findUserByRef } from './operations.ts'
import { findUserByToken } from './queries.ts'
import { EditUser, FullUser } from './schemas.ts'
import { serializeOwnUser, serializePublicUser } from './serializers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's full user, on `GET /users/@me`, where authentication reads it. */
    ownUser: Awaited<ReturnType<typeof findUserByToken>>
  }
}

const UserRef = Type.Object({
  ref: Type.String({ description: 'an id, or a username with or without a leading @' }),
})

export const userRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.decorateRequest('ownUser', undefined)

  app.get(
    '/users/@me',
    {
      onRequest: app.authenticateBy(async (tokenHash, request) => {
        request.ownUser = await findUserByToken(app.db, tokenHash)
        return request.ownUser
      }),
      schema: {
        operationId: 'getOwnUser',
        summary: 'Fetch your user',
        tags: ['users'],
        response: { 200: Success(FullUser), ...failures },
      },
    },
    async (request) => ok(serializeOwnUser(request.ownUser!)),
  )

  app.patch(
    '/users/@me',
    {
      onRequest: app.authenticate,
      bodyLimit: maxPictureBodyBytes,
      config: { limitedAs: 'changes', refusesEmptyBody: true },
      schema: {
        operationId: 'editOwnUser',
        summary: 'Update your user',
        tags: ['users'],
        body: EditUser,
        response: { 200: Success(FullUser), ...failures },
      },
    },
    async (request) => {
      const edited = await editUser(
        app.db,
        app.store,
        app.pictureBudget(request),
        request.caller.id,
        request.body,
      )
      if (!edited) throw new ApiError('no_auth')
      return ok(serializeOwnUser(await app.publish(edited, request.caller)))
    },
  )

  app.get(
    '/users/:ref',
    {
      onRequest: app.authenticateOptional,
      schema: {
        operationId: 'getUser',
        summary: 'Fetch a user by id or username',
        tags: ['users'],
        params: UserRef,
        response: { 200: Success(FullUser), ...failures },
      },
    },
    async (request) => {
      const { ref } = request.params
      const user = await findUserByRef(app.db, ref)
      if (!user) throw new ApiError('user_not_found')
      return ok(user.id === request.caller?.id ? serializeOwnUser(user) : serializePublicUser(user))
    },
  )
}
