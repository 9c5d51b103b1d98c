import type { EventName } from '../../src/gateway/schemas.ts'
import { also, byKey, exact, is, like, list, one, orNull, type Rule } from './rules.ts'

const str = is((value) => typeof value === 'string')
const int = is(Number.isInteger)
const bool = is((value) => typeof value === 'boolean')
const id = like(/^[1-9]\d{0,18}$/)
const time = like(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const picture = orNull(like(/^[0-9a-f]{40}\.webp$/))
const presence = one('online', 'offline')

// docs/resources.md, key by key, without the help of the server's own schemas.
const ownUser = exact({
  id,
  username: str,
  name: str,
  icon: picture,
  header: picture,
  flags: one(0),
  user_flags: one('0'),
  bot: bool,
  presence,
  bio: str,
  website: str,
  location: str,
  email_verified: bool,
})
const user = also(ownUser, (value: { email_verified: boolean }) => !value.email_verified)
const bits = { allow: int, deny: int }
const role = also(
  exact({ id, house_id: id, name: str, position: int, level: int, color: like(/^#[0-9a-f]{6}$/), ...bits }),
  (value: { level: number; position: number }) => value.level === value.position,
)
type Identified = { id: string }
type Seen = Identified & { presence: string }
const inHouse = (house_id: Rule) =>
  also(
    exact({
      id,
      user_id: id,
      house_id,
      user,
      roles: list(role),
      presence,
      last_permission_update: orNull(time),
      joined_at: time,
    }),
    ({ id, user_id, user, presence }: Identified & { user_id: string; user: Seen; presence: string }) =>
      id === user_id && id === user.id && presence === user.presence,
  )
const member = inHouse(id)
const underId = (value: Identified, key?: string) => value.id === key
const override = also(exact({ id, type: one(0, 1), ...bits }), underId)
const everyRoom = {
  id,
  emoji: orNull(exact({ type: one(1), data: str })),
  description: orNull(str),
  last_message_id: orNull(id),
}
const houseRoom = exact({
  ...everyRoom,
  house_id: id,
  name: str,
  position: is((value: number) => value >= 0),
  type: one(0),
  permission_overrides: orNull(also(byKey(override), (value: object) => Object.keys(value).length > 0)),
  default_permission_override: orNull(exact(bits)),
  recipients: one(null),
  owner_id: one(null),
})
type PrivateRoom = { type: number; name: string | null; owner_id: string | null; recipients: Identified[] }
const privateRoom = also(
  exact({
    ...everyRoom,
    house_id: one(null),
    name: orNull(str),
    position: one(null),
    type: one(1, 2),
    permission_overrides: one(null),
    default_permission_override: one(null),
    recipients: list(user),
    owner_id: orNull(id),
  }),
  ({ type, name, owner_id, recipients }: PrivateRoom) =>
    type === 1
      ? name === null && owner_id === null && recipients.length === 1
      : owner_id !== null && recipients.length > 0,
)
const room: Rule = (value, path) =>
  ((value as { house_id?: unknown }).house_id === null ? privateRoom : houseRoom)(value, path)
const pointer = exact({ resource_type: one('room'), resource_id: id })
const entity = exact({
  id,
  house_id: id,
  name: str,
  type: one(1),
  position: int,
  resource_pointers: list(pointer),
})
const house = also(
  exact({
    id,
    name: str,
    owner_id: id,
    icon: picture,
    banner: one(null),
    type: one(0),
    default_permissions: int,
    rooms: list(houseRoom),
    members: list(member),
    entities: list(entity),
    roles: list(role),
  }),
  ({
    rooms,
    entities,
  }: {
    rooms: Identified[]
    entities: { resource_pointers: { resource_id: string }[] }[]
  }) =>
    entities.every((one) =>
      one.resource_pointers.every((to) => rooms.some((row) => row.id === to.resource_id)),
    ),
)
const attachment = exact({
  filename: str,
  media_url: str,
  content_type: str,
  size: int,
  'dimensions?': exact({ width: int, height: int, type: str }),
})
type Said = {
  id: string
  house_id: string | null
  author_id: string
  author: Identified
  member: Identified & { house_id: string | null }
  timestamp: number
  bucket: number
  exploding: boolean | null
  exploding_age: number | null
}
const compactUser = exact({
  id,
  username: str,
  name: str,
  icon: picture,
  header: picture,
  flags: one(0),
  bot: bool,
})
const messageRules = {
  id,
  room_id: id,
  house_id: orNull(id),
  author_id: id,
  author: user,
  member: inHouse(orNull(id)),
  content: str,
  timestamp: int,
  mentions: list(compactUser),
  exploding: orNull(bool),
  exploding_age: orNull(int),
  device_id: id,
  bucket: int,
  attachment: orNull(attachment),
}
/** What extended sessions receive besides. */
const extension = {
  reply_to: orNull(exact({ id, author: orNull(compactUser), content: orNull(str) })),
  pinned: bool,
}
const message = (more: Record<string, Rule>) =>
  also(exact({ ...messageRules, ...more }), (value: Said) => {
    const ordinary = value.house_id === null ? false : null
    return (
      value.timestamp === Number((BigInt(value.id) >> 22n) + 1_562_544_000_000n) &&
      value.bucket === Math.floor((value.timestamp - 1_562_544_000_000) / 864_000_000) &&
      value.exploding === (value.exploding_age === null ? ordinary : true) &&
      [value.author.id, value.member.id].every((author) => author === value.author_id) &&
      value.member.house_id === value.house_id
    )
  })
const settings = exact({
  user_id: id,
  theme: one(null, 'dark'),
  onboarded: bool,
  enable_desktop_notifications: orNull(bool),
  room_overrides: byKey(exact({ notification_preference: one(0, 1, 2) })),
})
const relation = { user_id: id, user, last_updated_at: time }
type InHouse = { id?: string; house_id: string | null }
const gone = exact({ id, house_id: id })

const edited = { edited_at: time, embed: one(null), metadata: one(null) }
/** docs/gateway.md#init_state-and-large-states and docs/gateway.md#events. */
const payloads: Record<EventName, Rule> = {
  INIT_STATE: exact({
    user: ownUser,
    settings,
    private_rooms: list(privateRoom),
    presences: byKey(user),
    house_ids: list(id),
    relationships: byKey(exact({ ...relation, type: one(1, 2, 3, 4, 5) })),
    read_state: byKey(exact({ message_id: like(/^\d+$/), mention_count: int })),
    house_memberships: byKey(also(member, (value: InHouse, key) => value.house_id === key)),
    session_id: like(/^[0-9a-f]{32}$/),
  }),
  HOUSE_JOIN: house,
  HOUSE_UPDATE: house,
  HOUSE_LEAVE: also(gone, (value: InHouse) => value.id === value.house_id),
  HOUSE_DOWN: exact({ unavailable: one(false), house_id: id }),
  HOUSE_MEMBER_JOIN: member,
  HOUSE_MEMBER_LEAVE: member,
  HOUSE_MEMBER_UPDATE: member,
  HOUSE_MEMBER_ENTER: member,
  HOUSE_MEMBER_EXIT: gone,
  HOUSE_MEMBERS_CHUNK: exact({
    house_id: id,
    members: byKey(also(member, underId)),
  }),
  HOUSE_ENTITIES_UPDATE: exact({ house_id: id, entities: list(entity) }),
  ROOM_CREATE: room,
  ROOM_UPDATE: room,
  ROOM_DELETE: exact({ id, house_id: orNull(id) }),
  MESSAGE_CREATE: message({}),
  MESSAGE_UPDATE: message(edited),
  MESSAGE_DELETE: exact({ id, message_id: id, room_id: id, house_id: orNull(id) }),
  TYPING_START: also(
    exact({ timestamp: int, room_id: id, house_id: orNull(id), author_id: id, 'recipient_ids?': list(id) }),
    (value: InHouse) => (value.house_id === null) === 'recipient_ids' in value,
  ),
  PRESENCE_UPDATE: user,
  USER_UPDATE: ownUser,
  RELATIONSHIP_UPDATE: exact({ ...relation, id, recipient_id: id, type: one(0, 1, 2, 3, 4, 5) }),
  ROLE_CREATE: role,
  ROLE_UPDATE: role,
  ROLE_DELETE: gone,
  RESUMED: exact({ session_id: like(/^[0-9a-f]{32}$/), seq: int }),
  READ_STATE_UPDATE: exact({ room_id: id, message_id: like(/^\d+$/), mention_count: int }),
  SETTINGS_UPDATE: settings,
  REACTION_UPDATE: exact({
    room_id: id,
    house_id: orNull(id),
    message_id: id,
    emoji: str,
    user_id: id,
    added: bool,
    count: int,
  }),
  PIN_UPDATE: exact({ room_id: id, house_id: orNull(id), message_id: id, pinned: bool }),
}

const extendedPayloads: Partial<Record<EventName, Rule>> = {
  MESSAGE_CREATE: message(extension),
  MESSAGE_UPDATE: message({ ...edited, ...extension }),
}

/** docs/resources.md#messages. */
const listedMessage = exact({
  id,
  room_id: id,
  author_id: id,
  content: str,
  device_id: id,
  bucket: int,
  type: one(0),
  timestamp: time,
  edited_at: is((value) => value === '' || !Number.isNaN(Date.parse(String(value)))),
  author: compactUser,
  mentions: list(compactUser),
  attachment: orNull(attachment),
  embed: exact({}),
  metadata: one(null),
  exploding: bool,
  exploding_age: orNull(int),
})

/** Where a message of a list, for a client that is not extended, is not what the contract says. */
export function breachesOfListed(data: unknown): string[] {
  return listedMessage(data, 'message')
}

/** Where the `d` of an event is not what the contract says, key by key. */
export function breaches(name: string, d: unknown, extended = false): string[] {
  const rule = (extended && extendedPayloads[name as EventName]) || payloads[name as EventName]
  return rule?.(d, name) ?? [`${name}: no such event`]
}
