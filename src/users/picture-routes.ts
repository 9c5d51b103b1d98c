import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PictureParams, pictureAnswers } from '../http/schemas/pictures.ts'
import { sendPicture } from '../images/serve.ts'
import { findGatewayUser } from './queries.ts'

export const userPictureRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/users/:id/icons/:file',
    {
      schema: {
        operationId: 'getUserIcon',
        summary: "Fetch a user's icon",
        tags: ['media'],
        params: PictureParams,
        response: pictureAnswers,
      },
    },
    async (request, reply) => {
      const user = await findGatewayUser(app.db, request.params.id)
      return sendPicture(app.store, request, reply, { folder: 'users/icons', present: user?.icon })
    },
  )

  app.get(
    '/users/:id/headers/:file',
    {
      schema: {
        operationId: 'getUserHeader',
        summary: "Fetch a user's header",
        tags: ['media'],
        params: PictureParams,
        response: pictureAnswers,
      },
    },
    async (request, reply) => {
      const user = await findGatewayUser(app.db, request.params.id)
      return sendPicture(app.store, request, reply, { folder: 'users/headers', present: user?.header })
    },
  )
}
