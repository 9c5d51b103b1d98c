import { multipart, type Part } from './multipart.ts'
import { call, type Person } from './world.ts'

export function sendMedia(caller: Person, roomId: string, ...parts: Part[]) {
  return call(caller, 'POST', `/rooms/${roomId}/media_messages`, undefined, multipart(...parts))
}
