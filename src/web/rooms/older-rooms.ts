import { ApiError } from '../../client/errors.ts'
import { api } from '../session.ts'
import { withRooms } from '../state/reducers/rooms.ts'
import { change, currentState } from '../state/store.ts'
import { listPrivateRooms } from './rooms.ts'

/** A login names so many private rooms at most, those with the latest messages. */
const mostAtLogin = 1_000
const limit = 200

/** Whether there may be private rooms that the login has left out. */
export function mayHaveOlderRooms(): boolean {
  return listPrivateRooms().length >= mostAtLogin
}

/** Takes in the private rooms that come after those that are known, and says how many there were. */
export async function loadOlderRooms(): Promise<number> {
  const last = listPrivateRooms().at(-1)
  const before = last && (last.last_message_id ?? last.id)
  const page = await api.call('listPrivateRooms', { query: { limit, ...(before && { before }) } })
  change(withRooms(currentState(), page))
  return page.length
}

/** Takes in a private room that the login may have left out. */
export async function loadOlderRoom(id: string): Promise<void> {
  if (!mayHaveOlderRooms()) return
  const room = await api.call('getRoom', { params: { id } }).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined
    throw error
  })
  if (room?.house_id === null) change(withRooms(currentState(), [room]))
}
