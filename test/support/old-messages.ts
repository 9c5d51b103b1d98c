import { firstIdAt } from '../../src/ids.ts'
import { db, type Person } from './world.ts'

export const hourMs = 3_600_000
let made = 0

/** A message of so many hours ago. */
export async function oldMessage(
  roomId: string,
  author: Person,
  hours: number,
  attachment: object | null = null,
) {
  made += 1
  const id = String(BigInt(firstIdAt(Date.now() - hours * hourMs)) + BigInt(made))
  const { house_id } = await db
    .selectFrom('rooms')
    .select('house_id')
    .where('id', '=', roomId)
    .executeTakeFirstOrThrow()
  const row = { id, room_id: roomId, house_id, author_id: author.id, device_id: author.session_id }
  await db
    .insertInto('messages')
    .values({ ...row, content: 'old', attachment: attachment && JSON.stringify(attachment) })
    .execute()
  return id
}
