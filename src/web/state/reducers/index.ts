import type { EventName } from '../../../client/events.ts'
import type { Reducer } from '../state.ts'
import {
  entitiesUpdate,
  houseDown,
  houseJoin,
  houseLeave,
  memberExit,
  memberLeave,
  membersChunk,
  memberUpdate,
  roleDelete,
  roleUpdate,
} from './houses.ts'
import { initState } from './login.ts'
import { messageCreate, messageDelete, messageUpdate, pinUpdate, reactionUpdate } from './messages.ts'
import { presenceUpdate, relationshipUpdate, settingsUpdate, userUpdate } from './people.ts'
import { readStateUpdate, roomDelete, roomUpdate, typingStart } from './rooms.ts'

/** What each event changes. */
export const reducers: { [Name in EventName]: Reducer<Name> } = {
  INIT_STATE: initState,
  HOUSE_JOIN: houseJoin,
  HOUSE_UPDATE: houseJoin,
  HOUSE_LEAVE: houseLeave,
  HOUSE_DOWN: houseDown,
  HOUSE_MEMBER_JOIN: memberUpdate,
  HOUSE_MEMBER_LEAVE: memberLeave,
  HOUSE_MEMBER_UPDATE: memberUpdate,
  HOUSE_MEMBER_ENTER: memberUpdate,
  HOUSE_MEMBER_EXIT: memberExit,
  HOUSE_MEMBERS_CHUNK: membersChunk,
  HOUSE_ENTITIES_UPDATE: entitiesUpdate,
  ROOM_CREATE: roomUpdate,
  ROOM_UPDATE: roomUpdate,
  ROOM_DELETE: roomDelete,
  MESSAGE_CREATE: messageCreate,
  MESSAGE_UPDATE: messageUpdate,
  MESSAGE_DELETE: messageDelete,
  TYPING_START: typingStart,
  PRESENCE_UPDATE: presenceUpdate,
  USER_UPDATE: userUpdate,
  RELATIONSHIP_UPDATE: relationshipUpdate,
  ROLE_CREATE: roleUpdate,
  ROLE_UPDATE: roleUpdate,
  ROLE_DELETE: roleDelete,
  RESUMED: () => ({ recounted: undefined }),
  READ_STATE_UPDATE: readStateUpdate,
  SETTINGS_UPDATE: settingsUpdate,
  REACTION_UPDATE: reactionUpdate,
  PIN_UPDATE: pinUpdate,
}
