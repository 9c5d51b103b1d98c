import { newId } from '../../src/ids.ts'
import { db, type Person } from './world.ts'

const rowsAtOnce = 5_000

/** Makes many accounts, and gives their ids, ascending. */
export async function crowd(count: number, fields: { bio?: string; name?: string } = {}): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId())
  const rows = ids.map((id) => ({ id, username: `crowd${id}`, name: 'one of many', ...fields }))
  for (const part of inParts(rows)) await db.insertInto('users').values(part).execute()
  return ids
}

/** Makes groups of somebody's, with these people in each, and gives their ids, the oldest first. */
export async function groups(
  owner: { id: string },
  others: readonly string[],
  count: number,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId())
  const rooms = ids.map((id) => ({ id, type: 2, owner_id: owner.id }))
  for (const part of inParts(rooms)) await db.insertInto('rooms').values(part).execute()
  const recipients = ids.flatMap((room_id) => [owner.id, ...others].map((user_id) => ({ room_id, user_id })))
  for (const part of inParts(recipients)) await db.insertInto('room_recipients').values(part).execute()
  return ids
}

/** Lets somebody block (5) or restrict (4) many. */
export async function blockAll(by: Person, ids: readonly string[], type: 4 | 5): Promise<void> {
  const rows = ids.map((target_id) => ({ user_id: by.id, target_id, type }))
  for (const part of inParts(rows)) await db.insertInto('blocks').values(part).execute()
}

function inParts<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / rowsAtOnce) }, (_, part) =>
    rows.slice(part * rowsAtOnce, (part + 1) * rowsAtOnce),
  )
}
