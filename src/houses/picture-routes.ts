import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PictureParams, pictureAnswers } from '../http/schemas/pictures.ts'
import { sendPicture } from '../images/serve.ts'
import { findHouseIcon } from './queries.ts'

export const housePictureRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/houses/:id/icons/:file',
    {
      schema: {
        operationId: 'getHouseIcon',
        summary: "Fetch a house's icon",
        tags: ['media'],
        params: PictureParams,
        response: pictureAnswers,
      },
    },
    async (request, reply) => {
      const house = await findHouseIcon(app.db, request.params.id)
      return sendPicture(app.store, request, reply, { folder: 'houses/icons', present: house?.icon })
    },
  )
}
