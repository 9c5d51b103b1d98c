import type { Member } from '../houses/members/schemas.ts'
import type { Role } from '../houses/roles/schemas.ts'
import type { EditedGatewayMessage, GatewayExtension, GatewayMessage } from '../messages/schemas.ts'
import type { Presence } from './presence.ts'

/**
 * The events that operations add to the log. They name things by their ids: the gateway decides who receives them, and
 * in which form. An event includes a form where it is the same for all receivers, or where it cannot be read later (a
 * member who left). A null `house_id` means a private room.
 */
export type HearthEvent =
  /** The log does not include `message` and `extension`; only the process that has sent or edited the message has them. */
  | {
      type: 'message_created'
      room_id: string
      house_id: string | null
      message_id: string
      message?: GatewayMessage
      extension?: GatewayExtension
    }
  | {
      type: 'message_updated'
      room_id: string
      house_id: string | null
      message_id: string
      message?: EditedGatewayMessage
    }
  | { type: 'message_deleted'; room_id: string; house_id: string | null; message_id: string }
  /** `count`: how many users have reacted with the emoji after this. */
  | {
      type: 'reaction_updated'
      room_id: string
      house_id: string | null
      message_id: string
      emoji: string
      user_id: string
      added: boolean
      count: number
    }
  | { type: 'pin_updated'; room_id: string; house_id: string | null; message_id: string; pinned: boolean }
  | { type: 'typing_started'; room_id: string; house_id: string | null; author_id: string; timestamp: number }
  /** `has_pushes`: pushes of the room may have to be closed; only the process that has marked it as read has it. */
  | { type: 'read_state_updated'; user_id: string; room_id: string; has_pushes?: true }
  /** Name, icon, description, default permissions or owner changed. */
  | { type: 'house_updated'; house_id: string }
  | { type: 'house_deleted'; house_id: string }
  /** The rooms that these members (null: all) can read may have changed. */
  | { type: 'visibility_changed'; house_id: string; user_ids: string[] | null }
  | { type: 'member_joined'; house_id: string; user_id: string }
  /** `member` is the form before they left. If it was the owner, `house_updated` follows. */
  | { type: 'member_left'; house_id: string; user_id: string; member: Member }
  /** Roles or profile changed. */
  | { type: 'member_updated'; house_id: string; user_id: string }
  | { type: 'role_created'; house_id: string; role: Role }
  | { type: 'role_updated'; house_id: string; role: Role }
  | { type: 'role_deleted'; house_id: string; role_id: string }
  | { type: 'entities_updated'; house_id: string }
  | { type: 'room_created'; room_id: string; house_id: string }
  /** `room` determines who could read it; entries of earlier versions do not have it. */
  | { type: 'room_deleted'; room_id: string; house_id: string; room?: RoomPermissions }
  /** Name, description, emoji, position or overrides changed; participants or owner of a group. */
  | { type: 'room_updated'; room_id: string; house_id: string | null; except_user_id?: string }
  | { type: 'private_room_entered'; room_id: string; user_id: string }
  | { type: 'private_room_left'; room_id: string; user_id: string }
  /** Profile or username changed; `only_self`: only the user can see what changed. */
  | { type: 'user_updated'; user_id: string; only_self: boolean }
  /** The relation of `user_id` to `other_id` changed. */
  | {
      type: 'relationship_updated'
      user_id: string
      other_id: string
      relationship_type: number
      last_updated_at: string
    }
  | { type: 'settings_updated'; user_id: string }
  | { type: 'sessions_ended'; session_ids: string[] }
  /** The user counts as offline from now on, even before their connections have closed. */
  | { type: 'account_deleted'; user_id: string }
  /** These users (null: all) have entered or left a house or private room, and cannot resume from before. */
  | { type: 'access_changed'; user_ids: readonly string[] | null }
  /** Entries of the log are missing: every session of this process may have missed something. Not in the log. */
  | { type: 'events_lost' }
  /** A user came online or went offline. The audience: these contacts (null: all), and the members of these houses. */
  | {
      type: 'presence_changed'
      user_id: string
      presence: Presence
      contact_ids: readonly string[] | null
      house_ids: readonly string[]
    }

/** The defaults and overrides of a room. */
type RoomPermissions = {
  default_allow: number
  default_deny: number
  permission_overrides: Record<string, { type: number; allow: number; deny: number }> | null
}

/** The event of one type. */
export type EventOf<Type extends HearthEvent['type']> = Extract<HearthEvent, { type: Type }>

/** The scope of events that concern everybody. */
export const globalScope = '0'
/** The scope of events that no resume needs: a token that has ended is not accepted. */
const notReplayedScope = '-1'
/** The scope of presences. */
export const presenceScope = '-2'

/** The scope of events that only the user receives: friends who resume need not read them. */
export function userScope(userId: string): string {
  return `-${userId}`
}

/** The id of the house, private room or user by which a resume finds an event. */
export function scopeOf(event: HearthEvent): string {
  switch (event.type) {
    case 'private_room_entered':
    case 'private_room_left':
      return event.room_id
    case 'member_joined':
    case 'member_left':
    case 'member_updated':
      return event.house_id
    case 'user_updated':
      return event.user_id
    case 'presence_changed':
      return presenceScope
    case 'read_state_updated':
    case 'relationship_updated':
    case 'settings_updated':
    case 'account_deleted':
      return userScope(event.user_id)
    case 'access_changed':
      return event.user_ids?.length === 1 ? userScope(event.user_ids[0]!) : globalScope
    case 'sessions_ended':
    case 'events_lost':
      return notReplayedScope
    default:
      return event.house_id ?? (event as { room_id: string }).room_id
  }
}
