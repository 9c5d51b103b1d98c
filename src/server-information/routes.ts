import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { maxHouseNameLength } from '../houses/schemas.ts'
import { maxBodyBytes } from '../http/bodies/body.ts'
import { failures, ok, Success } from '../http/schemas/envelope.ts'
import { publicUrl } from '../http/server/public-url.ts'
import { version } from '../http/server/version.ts'
import { maxPictureBytes } from '../images/picture.ts'
import { maxAttachmentBytes, maxContentLength } from '../messages/schemas.ts'
import { maxNameLength, maxTextLength } from '../users/schemas.ts'
import { ServerInformation } from './schemas.ts'

const limits = {
  name: maxNameLength,
  house_name: maxHouseNameLength,
  text: maxTextLength,
  content: maxContentLength,
  json_bytes: maxBodyBytes,
  picture_bytes: maxPictureBytes,
  attachment_bytes: maxAttachmentBytes,
}

export const serverInformationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/server',
    {
      schema: {
        operationId: 'getServer',
        summary: 'Fetch what this server offers',
        tags: ['service'],
        response: { 200: Success(ServerInformation), ...failures },
      },
    },
    async () => {
      const { registration, houseCreation, oidc } = app.config
      return ok({
        name: nameOf(publicUrl(app)),
        version,
        registration,
        house_creation: houseCreation,
        mail: app.mailer !== undefined,
        oidc: oidc !== undefined,
        push_key: null,
        limits,
      })
    },
  )
}

/** The host of its address: there is no other name. */
function nameOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : 'Hearth'
}
