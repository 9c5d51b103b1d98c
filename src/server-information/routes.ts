import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { maxPushSubscriptions } from '../accounts/push-subscriptions/operations.ts'
import { maxBots } from '../bots/operations.ts'
import { maxBlocks, maxFriendsAndRequests } from '../friendships/operations.ts'
import { maxEntities } from '../houses/entities/operations.ts'
import { maxInvites } from '../houses/invites/operations.ts'
import { maxAgeSeconds, maxUses } from '../houses/invites/schemas.ts'
import { maxMemberships } from '../houses/members/operations.ts'
import { maxRoles } from '../houses/roles/operations.ts'
import { maxHouseNameLength } from '../houses/schemas.ts'
import { maxWebhooks } from '../houses/webhooks/operations.ts'
import { maxBodyBytes, maxPictureBodyBytes } from '../http/bodies/body.ts'
import { failures, ok, Success } from '../http/schemas/envelope.ts'
import { maxPasswordLength } from '../http/schemas/strings.ts'
import { maxEmailLength } from '../http/schemas/validation.ts'
import { publicUrl } from '../http/server/public-url.ts'
import { version } from '../http/server/version.ts'
import { maxPictureBytes } from '../images/picture.ts'
import { maxFilenameLength } from '../messages/attachments/operations.ts'
import { maxPins } from '../messages/pins/operations.ts'
import { maxReactionEmojis } from '../messages/reactions/operations.ts'
import { maxMentions } from '../messages/read/mention-operations.ts'
import {
  maxAttachmentBytes,
  maxContentLength,
  maxExplodingSeconds,
  maxNonceLength,
  maxSearchLength,
} from '../messages/schemas.ts'
import { maxEmojiNameLength } from '../rooms/house-rooms/schemas.ts'
import { maxRooms } from '../rooms/operations.ts'
import { maxOverrides } from '../rooms/overrides/operations.ts'
import { maxGroupSize } from '../rooms/private-rooms/group-operations.ts'
import { maxOwnedGroups } from '../rooms/private-rooms/operations.ts'
import { maxLocationLength, maxNameLength, maxTextLength, maxWebsiteLength } from '../users/schemas.ts'
import { ServerInformation } from './schemas.ts'

/** Of docs/api.md#limits, by the name of the field or of the thing. */
const limits = {
  name: maxNameLength,
  house_name: maxHouseNameLength,
  location: maxLocationLength,
  website: maxWebsiteLength,
  bio: maxTextLength,
  description: maxTextLength,
  reason: maxTextLength,
  email: maxEmailLength,
  password: maxPasswordLength,
  content: maxContentLength,
  nonce: maxNonceLength,
  emoji: maxEmojiNameLength,
  filename: maxFilenameLength,
  q: maxSearchLength,
  exploding_age: maxExplodingSeconds,
  max_uses: maxUses,
  max_age: maxAgeSeconds,
  mentions: maxMentions,
  houses: maxMemberships,
  bots: maxBots,
  friends: maxFriendsAndRequests,
  blocks: maxBlocks,
  restrictions: maxBlocks,
  groups: maxOwnedGroups,
  recipients: maxGroupSize,
  rooms: maxRooms,
  entities: maxEntities,
  roles: maxRoles,
  invites: maxInvites,
  webhooks: maxWebhooks,
  overrides: maxOverrides,
  reactions: maxReactionEmojis,
  pins: maxPins,
  push_subscriptions: maxPushSubscriptions,
  body_bytes: maxBodyBytes,
  picture_body_bytes: maxPictureBodyBytes,
  picture_bytes: maxPictureBytes,
  attachment_bytes: maxAttachmentBytes,
}

export const serverInformationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/server',
    {
      schema: {
        operationId: 'getServer',
        summary: 'Describe the server: its version, what it offers, its limits',
        tags: ['service'],
        response: { 200: Success(ServerInformation), ...failures },
      },
    },
    async () => {
      const { registration, houseCreation, oidc, publicUrl: present, formerUrls } = app.config
      return ok({
        name: nameOf(publicUrl(app)),
        version,
        registration,
        house_creation: houseCreation,
        mail: app.mails !== undefined,
        oidc: oidc !== undefined,
        addresses: present === undefined ? [...formerUrls] : [new URL(present).origin, ...formerUrls],
        push_key: app.vapidKeys?.public_key ?? null,
        limits,
      })
    },
  )
}

/** The host of its address: there is no other name. */
function nameOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : 'Hearth'
}
