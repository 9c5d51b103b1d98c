import { permission } from '../../houses/permissions.ts'
import { mayInRoom } from '../rooms/permissions.ts'
import { api } from '../session.ts'
import type { Message } from '../state/state.ts'
import { store } from '../state/store.ts'

/** Whether one may pin and unpin in a room: in a private one everybody may. */
export function mayPin(roomId: string): boolean {
  const room = store.rooms.value[roomId]
  return room !== undefined && (room.house_id === null || mayInRoom(room, permission.MODERATE_ROOM))
}

/** Pins a message, or unpins it. */
export function setPinned({ id: message_id, room_id: id }: Message, pinned: boolean): Promise<unknown> {
  return api.call(pinned ? 'pinMessage' : 'unpinMessage', { params: { id, message_id } })
}
