import { go } from '../router.ts'
import { api } from '../session.ts'

/** Goes to the private room with somebody, which is created if there is none. */
export async function openPrivateRoom(userId: string): Promise<void> {
  const { id } = await api.call('createPrivateRoom', { body: { recipient: userId } })
  go({ name: 'private', roomId: id })
}
