import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Relationship } from '../friendships/schemas.ts'
import { Entity } from '../houses/entities/schemas.ts'
import { Member } from '../houses/members/schemas.ts'
import { Role } from '../houses/roles/schemas.ts'
import { GatewayHouse } from '../houses/schemas.ts'
import { Nullable } from '../http/schemas/nullable.ts'
import { EditedMessage, SentMessage } from '../messages/schemas.ts'
import { Acked, ReadStates } from '../read-states/schemas.ts'
import { Room } from '../rooms/schemas.ts'
import { Settings } from '../settings/schemas.ts'
import { GatewayUser } from '../users/schemas.ts'

const Id = Type.String()

function ById<Value extends TSchema>(value: Value) {
  return Type.Record(Type.String(), value)
}

const InitState = Type.Object({
  user: GatewayUser,
  settings: Settings,
  relationships: ById(Type.Pick(Relationship, ['user_id', 'user', 'type', 'last_updated_at'])),
  read_state: ReadStates,
  private_rooms: Type.Array(Room, { description: 'latest activity first' }),
  presences: ById(GatewayUser),
  house_memberships: ById(Member),
  house_ids: Type.Array(Id),
  session_id: Type.String({ description: 'the gateway session, for resuming' }),
})
export type InitState = Static<typeof InitState>

const MemberExit = Type.Object({ id: Type.String({ description: 'a user' }), house_id: Id })
const RoomDelete = Type.Object({ id: Id, house_id: Nullable(Id) })
const MessageDelete = Type.Object({ id: Id, message_id: Id, room_id: Id, house_id: Nullable(Id) })
const TypingStart = Type.Object({
  timestamp: Type.Integer(),
  room_id: Id,
  house_id: Nullable(Id),
  author_id: Id,
  recipient_ids: Type.Optional(Type.Array(Id, { description: 'private rooms only' })),
})

const ReactionUpdate = Type.Object({
  room_id: Id,
  house_id: Nullable(Id),
  message_id: Id,
  emoji: Type.String(),
  user_id: Id,
  added: Type.Boolean(),
  count: Type.Integer(),
})
const PinUpdate = Type.Object({
  room_id: Id,
  house_id: Nullable(Id),
  message_id: Id,
  pinned: Type.Boolean(),
})

/** The `d` of every event by name (docs/gateway.md#events). */
export const eventSchemas = {
  INIT_STATE: InitState,
  HOUSE_JOIN: GatewayHouse,
  HOUSE_UPDATE: GatewayHouse,
  HOUSE_LEAVE: Type.Object({ id: Id, house_id: Id }),
  HOUSE_DOWN: Type.Object({ unavailable: Type.Boolean(), house_id: Id }),
  HOUSE_MEMBER_JOIN: Member,
  HOUSE_MEMBER_LEAVE: Member,
  HOUSE_MEMBER_UPDATE: Member,
  HOUSE_MEMBER_ENTER: Member,
  HOUSE_MEMBER_EXIT: MemberExit,
  HOUSE_MEMBERS_CHUNK: Type.Object({ house_id: Id, members: ById(Member) }),
  HOUSE_ENTITIES_UPDATE: Type.Object({ house_id: Id, entities: Type.Array(Entity) }),
  ROOM_CREATE: Room,
  ROOM_UPDATE: Room,
  ROOM_DELETE: RoomDelete,
  MESSAGE_CREATE: SentMessage,
  MESSAGE_UPDATE: EditedMessage,
  MESSAGE_DELETE: MessageDelete,
  TYPING_START: TypingStart,
  PRESENCE_UPDATE: GatewayUser,
  USER_UPDATE: GatewayUser,
  RELATIONSHIP_UPDATE: Relationship,
  ROLE_CREATE: Role,
  ROLE_UPDATE: Role,
  ROLE_DELETE: Type.Object({ id: Id, house_id: Id }),
  RESUMED: Type.Object({ session_id: Type.String(), seq: Type.Integer() }),
  READ_STATE_UPDATE: Acked,
  SETTINGS_UPDATE: Settings,
  REACTION_UPDATE: ReactionUpdate,
  PIN_UPDATE: PinUpdate,
} satisfies Record<string, TSchema>

export type EventName = keyof typeof eventSchemas
/** The payload of every event, by name. */
export type EventPayloads = { [Name in EventName]: Static<(typeof eventSchemas)[Name]> }

/** One schema per event frame; `$defs` has those of `d` by event name. */
export function describeEvents() {
  const frames = Object.keys(eventSchemas).map((name) => ({
    type: 'object',
    required: ['seq', 'op', 'e', 'd'],
    properties: {
      seq: { type: 'integer', minimum: 1 },
      op: { const: 0 },
      e: { const: name },
      d: { $ref: `#/$defs/${name}` },
    },
    additionalProperties: false,
  }))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Gateway events of Hearth',
    oneOf: frames,
    $defs: eventSchemas,
  }
}
