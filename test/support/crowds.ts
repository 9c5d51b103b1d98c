import { sql } from 'kysely'
import { newId } from '../../src/ids.ts'
import { type Den, db, type Person } from './world.ts'

const rowsAtOnce = 5_000

type Profile = { name?: string; bio?: string; website?: string; location?: string }

const longName = '🚀'.repeat(64)
const longText = '🚀'.repeat(512)
/** A profile of as many bytes as possible. */
export const longestProfile = { name: longName, bio: longText, website: '🚀'.repeat(256), location: longName }

/** Makes many accounts, and gives their ids, ascending. */
export async function crowd(count: number, fields: Profile = {}): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId())
  const rows = ids.map((id) => ({ id, username: `crowd${id}`, name: 'one of many', ...fields }))
  for (const part of inParts(rows)) await db.insertInto('users').values(part).execute()
  return ids
}

/** Makes these people members of a house. */
export async function join(den: Den, ids: readonly string[]): Promise<void> {
  const rows = ids.map((user_id) => ({ house_id: den.id, user_id }))
  for (const part of inParts(rows)) await db.insertInto('members').values(part).execute()
  // As autovacuum does within a minute: plans made for small houses would take seconds.
  if (ids.length > 500) await sql`analyze members`.execute(db)
}

/** Creates groups of a user with these people in each. Returns their ids, the oldest first. */
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

/** Makes a user block (5) or restrict (4) many others. */
export async function blockAll(by: Person, ids: readonly string[], type: 4 | 5): Promise<void> {
  const rows = ids.map((target_id) => ({ user_id: by.id, target_id, type }))
  for (const part of inParts(rows)) await db.insertInto('blocks').values(part).execute()
}

/**
 * Makes a house as large as the limits allow: 500 rooms, 250 roles, 100 entities and 5,000 overrides, with the longest
 * texts.
 */
export async function fillHouse(den: Den): Promise<void> {
  const targets = Array.from({ length: 10 }, () => newId())
  const overrides = targets.map((id) => [id, { id, type: 1, allow: 1_048_575, deny: 0 }])
  const parts = { house_id: den.id, name: longName }
  const rooms = Array.from({ length: 499 }, (_, place) => ({
    ...parts,
    id: newId(),
    type: 0,
    position: place + 1,
    description: longText,
    emoji: longName,
    permission_overrides: JSON.stringify(Object.fromEntries(overrides)),
  }))
  await db.insertInto('rooms').values(rooms).execute()
  const pointers = rooms.map(({ id, position }) => ({ room_id: id, entity_id: den.entity_id, position }))
  await db.insertInto('entity_rooms').values(pointers).execute()
  const entities = Array.from({ length: 99 }, (_, place) => ({ ...parts, id: newId(), position: place + 1 }))
  await db.insertInto('entities').values(entities).execute()
  const roles = Array.from({ length: 250 }, (_, position) => ({ ...parts, id: newId(), position }))
  await db.insertInto('roles').values(roles).execute()
}

function inParts<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / rowsAtOnce) }, (_, part) =>
    rows.slice(part * rowsAtOnce, (part + 1) * rowsAtOnce),
  )
}
