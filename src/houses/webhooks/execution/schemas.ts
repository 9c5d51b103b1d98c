import { type Static, Type } from '@sinclair/typebox'
import { documentedAs } from '../../../http/schemas/documented.ts'
import { Nullable } from '../../../http/schemas/nullable.ts'

/** The path of a webhook's own route. */
export const WebhookAddress = Type.Object({
  webhook_id: Type.String({ description: 'an id; any other text is an id that nobody has' }),
  token: Type.String(),
})

export type WebhookAddress = Static<typeof WebhookAddress>

export const ExecuteQuery = Type.Object(
  {
    wait: Type.Optional(
      documentedAs(Type.String(), {
        type: 'boolean',
        description: "`true`: a message in Discord's form is answered with the message",
      }),
    ),
    service: Type.Optional(
      Type.Union([Type.Literal('slack'), Type.Literal('github')], {
        description: 'the form of the body; the address with `/slack` or `/github` after it means the same',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ExecuteQuery = Static<typeof ExecuteQuery>

/**
 * docs/api.md#webhooks: the fields that decide about a body, and contain what is written. GitHub's events have others,
 * and so nothing is dropped.
 */
export const ExecuteWebhook = Type.Object({
  content: Type.Optional(Type.Unknown()),
  nonce: Type.Optional(Type.Unknown()),
  text: Type.Optional(Type.Unknown()),
  username: Type.Optional(Nullable(Type.String())),
  attachments: Type.Optional(Nullable(Type.Array(Type.Unknown()))),
  blocks: Type.Optional(Nullable(Type.Array(Type.Unknown()))),
  embeds: Type.Optional(Nullable(Type.Array(Type.Unknown()))),
})
export type ExecuteWebhook = Static<typeof ExecuteWebhook>

/** The author of a message as Discord's clients expect it. */
export const DiscordAuthor = Type.Optional(
  Type.Object({ id: Type.String(), username: Type.String(), avatar: Type.Null(), bot: Type.Boolean() }),
)

/** The fields of Discord's message object, which stand beside `data` for clients that wait for it. */
export const discordFields = {
  id: Type.Optional(Type.String()),
  type: Type.Optional(Type.Integer()),
  channel_id: Type.Optional(Type.String()),
  webhook_id: Type.Optional(Type.String()),
  content: Type.Optional(Type.String()),
  timestamp: Type.Optional(Type.String()),
  author: DiscordAuthor,
}
