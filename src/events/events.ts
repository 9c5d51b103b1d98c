import type { Member } from '../members/schemas.ts'
import type { EditedGatewayMessage, GatewayMessage } from '../messages/schemas.ts'
import type { Role } from '../roles/schemas.ts'
import type { Presence } from './presence.ts'

/**
 * The facts that operations publish. They mostly name things by their ids: the gateway decides who is sent them, and in
 * which form. A fact includes a form where that is the same for all receivers, or where it could not be read any more
 * (a member who left). A null `house_id` means a private room.
 */
export type HearthEvent =
  /**
   * `after`: the id of the message before it in the room (null: there is none); only set where several processes send.
   */
  | {
      type: 'message_created'
      room_id: string
      house_id: string | null
      message: GatewayMessage
      after?: string | null
    }
  | { type: 'message_updated'; room_id: string; house_id: string | null; message: EditedGatewayMessage }
  | { type: 'message_deleted'; room_id: string; house_id: string | null; message_id: string }
  | { type: 'typing_started'; room_id: string; house_id: string | null; author_id: string; timestamp: number }
  /** A process of an older version tells the state given here. */
  | {
      type: 'read_state_updated'
      user_id: string
      room_id: string
      message_id: string
      mention_count: number
    }
  /** Name, icon, description, default permissions or owner changed. */
  | { type: 'house_updated'; house_id: string }
  | { type: 'house_deleted'; house_id: string }
  /** What these members (null: any member) can read may have changed: roles, overrides, defaults, owner. */
  | { type: 'visibility_changed'; house_id: string; user_ids: string[] | null }
  | { type: 'member_joined'; house_id: string; user_id: string }
  /** `member` is their form before they left. If it was the owner, `house_updated` follows. */
  | { type: 'member_left'; house_id: string; user_id: string; member: Member }
  /** Roles or profile changed. */
  | { type: 'member_updated'; house_id: string; user_id: string }
  /** A process of an older version, which may run beside this one, tells the role as it is here. */
  | { type: 'role_created' | 'role_updated'; house_id: string; role: Role }
  | { type: 'role_deleted'; house_id: string; role_id: string }
  | { type: 'entities_updated'; house_id: string }
  | { type: 'room_created'; room_id: string; house_id: string }
  | { type: 'room_deleted'; room_id: string; house_id: string }
  /** Name, description, emoji, position, overrides; participants or owner of a group. Not told to who just entered. */
  | { type: 'room_updated'; room_id: string; house_id: string | null; except_user_id?: string }
  | { type: 'private_room_entered'; room_id: string; user_id: string }
  | { type: 'private_room_left'; room_id: string; user_id: string }
  /** Profile or username changed; `only_self`: what changed is visible to the user alone. */
  | { type: 'user_updated'; user_id: string; only_self: boolean }
  /** The relation of `user_id` to `other_id` changed. A process of an older version tells the type given here. */
  | {
      type: 'relationship_updated'
      user_id: string
      other_id: string
      relationship_type: number
      last_updated_at: string
    }
  | { type: 'settings_updated'; user_id: string }
  | { type: 'sessions_ended'; session_ids: string[] }
  /** From now on the user is shown as offline, even before their connections have closed. */
  | { type: 'account_deleted'; user_id: string }
  /**
   * Events of another process did not come, or it is gone without a word: every session here may have missed some.
   * Published by no operation.
   */
  | { type: 'events_lost' }
  /** The commit of these was not answered: they may have happened. Published by no operation. */
  | { type: 'events_doubtful'; events: readonly HearthEvent[] }
  /** A user came online, or went offline. */
  | { type: 'presence_changed'; user_id: string; presence: Presence }

/** The event of one type. */
export type EventOf<Type extends HearthEvent['type']> = Extract<HearthEvent, { type: Type }>
