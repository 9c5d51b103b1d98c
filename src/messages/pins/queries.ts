import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { notExpired } from '../queries.ts'
import { type ListedMessageRow, listMessages } from '../read/page-queries.ts'

/** Locks the pins of a room until the transaction ends. Returns false when the room is gone. */
export async function lockPins(db: Db, roomId: string): Promise<boolean> {
  const rows = await db.selectFrom('rooms').select('id').where('id', '=', roomId).forNoKeyUpdate().execute()
  return rows.length > 0
}

/** The ids of the pinned messages of a room, latest pin first. */
export async function listPinnedIds(db: Db, roomId: string): Promise<string[]> {
  const { rows } = await sql<{ message_id: string }>`
    select message_id from pins
    join messages on messages.room_id = pins.room_id and messages.id = pins.message_id
    where pins.room_id = ${roomId} and ${notExpired} order by pinned_at desc, message_id desc`.execute(db)
  return rows.map((row) => row.message_id)
}

/** The pinned messages of a room, latest pin first. */
export async function listPins(db: Db, roomId: string): Promise<ListedMessageRow[]> {
  const ids = await listPinnedIds(db, roomId)
  const rows = await listMessages(
    db,
    ids.map(() => roomId),
    ids,
  )
  const places = new Map(ids.map((id, place) => [id, place]))
  return rows.sort((one, other) => places.get(one.id)! - places.get(other.id)!)
}

export async function insertPin(db: Db, pin: { room_id: string; message_id: string }): Promise<void> {
  await db.insertInto('pins').values(pin).execute()
}

export async function deletePin(db: Db, pin: { room_id: string; message_id: string }): Promise<void> {
  await db
    .deleteFrom('pins')
    .where('room_id', '=', pin.room_id)
    .where('message_id', '=', pin.message_id)
    .execute()
}
