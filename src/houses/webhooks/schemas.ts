import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../http/schemas/nullable.ts'
import { AnyText, NameLine } from '../../http/schemas/strings.ts'
import { maxNameLength, PictureName } from '../../users/schemas.ts'

const WebhookName = NameLine(maxNameLength)
const Icon = Type.String({ description: 'base64 or a data URL' })

export const CreateWebhook = Type.Object(
  { room_id: AnyText(), name: WebhookName, icon: Type.Optional(Icon) },
  { additionalProperties: false },
)
export type CreateWebhook = Static<typeof CreateWebhook>

/** docs/api.md#webhooks: a null icon removes it. */
export const EditWebhook = Type.Object(
  {
    name: Type.Optional(WebhookName),
    icon: Type.Optional(Nullable(Icon)),
    room_id: Type.Optional(AnyText()),
  },
  { additionalProperties: false },
)
export type EditWebhook = Static<typeof EditWebhook>

/** docs/resources.md#other-resources. */
export const Webhook = Type.Object({
  id: Type.String(),
  house_id: Type.String(),
  room_id: Type.String(),
  creator_id: Nullable(Type.String()),
  name: Type.String(),
  icon: PictureName,
})
export type Webhook = Static<typeof Webhook>

/** A webhook with the address that executes it, which contains its token: it is shown only once. */
export const WebhookWithUrl = Type.Object({ ...Webhook.properties, url: Type.String() })
export type WebhookWithUrl = Static<typeof WebhookWithUrl>

export const DeletedWebhook = Type.Object({ id: Type.String(), house_id: Type.String() })
export type DeletedWebhook = Static<typeof DeletedWebhook>
