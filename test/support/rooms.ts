import { type Den, db } from './world.ts'

/** A gateway user as the server shows one created by `user()`. */
export function gatewayUser(person: { id: string; username: string }, bot = false) {
  return {
    id: person.id,
    username: person.username,
    name: person.username,
    icon: null,
    header: null,
    flags: 0,
    user_flags: '0',
    bot,
    presence: 'offline',
    bio: '',
    website: '',
    location: '',
    email_verified: false,
  }
}

/** A room of a house as one that nothing was set for, or said in, is shown. */
export function freshHouseRoom(den: Den, { id, ...fields }: { id: string; name: string; position: number }) {
  return {
    id,
    house_id: den.id,
    ...fields,
    type: 0,
    emoji: null,
    description: null,
    last_message_id: null,
    permission_overrides: null,
    default_permission_override: null,
    recipients: null,
    owner_id: null,
  }
}

/** Who is in a private room, by time of entering. */
export async function participantsOf(roomId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('room_recipients')
    .select('user_id')
    .where('room_id', '=', roomId)
    .orderBy('joined_at')
    .orderBy('user_id')
    .execute()
  return rows.map((row) => row.user_id)
}

/** A room's row, or undefined. */
export function roomRow(roomId: string) {
  return db.selectFrom('rooms').selectAll().where('id', '=', roomId).executeTakeFirst()
}

/** The newest message ever sent to a room, or null; undefined if there is no such room. */
export async function lastMessageId(roomId: string): Promise<string | null | undefined> {
  const heads = db.selectFrom('room_heads').select('last_message_id').where('room_id', '=', roomId)
  return (await heads.executeTakeFirst())?.last_message_id
}

/** Empties the account of a user, as others see it. */
export async function erase(person: { id: string }): Promise<void> {
  await db
    .updateTable('users')
    .set({ deleted_at: new Date(), username: `deleted-${person.id}` })
    .where('id', '=', person.id)
    .execute()
}
