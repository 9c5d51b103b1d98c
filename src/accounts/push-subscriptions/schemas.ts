import { type Static, Type } from '@sinclair/typebox'

/** Those of the push services of browsers have up to some 500 characters. */
const maxEndpointLength = 2048

/** The keys by which only the browser can read what it is pushed. */
export const PushKeys = Type.Object(
  {
    p256dh: Type.String({ format: 'p256_point', description: '65 bytes in base64url' }),
    auth: Type.String({ pattern: '^[A-Za-z0-9_-]{22}(==)?$', description: '16 bytes in base64url' }),
  },
  { additionalProperties: false },
)

/** What `PushSubscription.toJSON()` gives in a browser. */
export const SubscribeToPushes = Type.Object(
  {
    endpoint: Type.String({ maxLength: maxEndpointLength, format: 'push_endpoint' }),
    keys: PushKeys,
  },
  { additionalProperties: false },
)
export type SubscribeToPushes = Static<typeof SubscribeToPushes>

export const PushSubscriptionId = Type.Object({ id: Type.String() })
export type PushSubscriptionId = Static<typeof PushSubscriptionId>
