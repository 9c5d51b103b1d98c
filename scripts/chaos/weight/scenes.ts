import { sql } from 'kysely'
import { hashPassword } from '../../../src/auth/passwords.ts'
import type { Db } from '../../../src/database/client.ts'
import { newHousePermissions } from '../../../src/houses/permissions.ts'
import { newId } from '../../../src/ids.ts'
import { addPerson, type Person } from '../support/people.ts'

const rowsAtOnce = 5_000

export const password = 'correct horse'

/** The hash of the password, computed once for all users. */
let passwordHash: Promise<string> | undefined

export function addPeople(db: Db, count: number): Promise<Person[]> {
  return Promise.all(Array.from({ length: count }, () => addPerson(db)))
}

/** Accounts that can log in with the password. */
export async function addPeopleWithPassword(db: Db, count: number): Promise<Person[]> {
  passwordHash ??= hashPassword(password, { address: '127.0.0.1' })
  const password_hash = await passwordHash
  return Promise.all(Array.from({ length: count }, () => addPerson(db, { password_hash })))
}

export function makeIds(count: number): string[] {
  return Array.from({ length: count }, () => newId())
}

/** A house with so many rooms and these members, the first of whom owns it, as rows. */
export async function addHouse(db: Db, people: readonly { id: string }[], roomCount: number) {
  const id = newId()
  const rooms = makeIds(roomCount)
  await db
    .insertInto('houses')
    .values({ id, name: 'Den', owner_id: people[0]!.id, default_permissions: newHousePermissions })
    .execute()
  await insertAll(
    people.map((person) => ({ house_id: id, user_id: person.id })),
    (rows) => db.insertInto('members').values(rows).execute(),
  )
  await insertAll(
    rooms.map((room, position) => ({ id: room, house_id: id, type: 0, name: `room ${position}`, position })),
    (rows) => db.insertInto('rooms').values(rows).execute(),
  )
  return { id, rooms }
}

/** A longest name. For its first letter, a string of JavaScript that it is in takes two bytes for every letter. */
const heavyName = 'Ā'.padEnd(64, 'x')

const heavyText = '🚀'.repeat(512)
/** A profile of as many bytes as possible. */
export const heavyProfile = {
  name: heavyText.slice(0, 128),
  location: heavyText.slice(0, 128),
  website: heavyText.slice(0, 512),
  bio: heavyText,
}

/** Makes roles with heavy names, which nobody has. Returns their ids. */
export async function addUnusedRoles(db: Db, houseId: string, count: number): Promise<string[]> {
  const roles = makeIds(count).map((id, n) => ({ id, house_id: houseId, name: heavyName, position: n + 1 }))
  await db.insertInto('roles').values(roles).execute()
  return roles.map(({ id }) => id)
}

/** Gives every member of a house roles with heavy names. */
export async function addRoles(db: Db, houseId: string, count: number): Promise<void> {
  await addUnusedRoles(db, houseId, count)
  await sql`insert into member_roles (house_id, user_id, role_id)
    select members.house_id, members.user_id, roles.id from members join roles using (house_id)
    where house_id = ${houseId}`.execute(db)
}

/** So many groups with heavy names, each of all these people, the first of whom owns them. */
export async function addGroups(db: Db, people: readonly { id: string }[], count: number): Promise<void> {
  const owner_id = people[0]!.id
  const ids = makeIds(count)
  const groups = ids.map((id) => ({ id, type: 2, name: heavyName, owner_id }))
  await insertAll(groups, (rows) => db.insertInto('rooms').values(rows).execute())
  await sql`insert into room_recipients (room_id, user_id)
    select room_id, user_id from unnest(${ids}::bigint[]) as room_id, unnest(${people.map(({ id }) => id)}::bigint[]) as user_id`.execute(
    db,
  )
}

/** Writes a message into each of the rooms. Returns the ids of the messages. */
export async function addMessages(db: Db, rooms: readonly string[], { id: author_id, session_id }: Person) {
  const messages = rooms.map((room_id) => {
    return { room_id, id: newId(), author_id, device_id: session_id, content: 'hearth fire wood smoke' }
  })
  await insertAll(messages, (rows) => db.insertInto('messages').values(rows).execute())
  await sql`update messages set house_id = rooms.house_id from rooms
    where rooms.id = room_id and room_id = any(${[...new Set(rooms)]}::bigint[])`.execute(db)
  await sql`update room_heads set last_message_id = messages.id from messages
    where messages.room_id = room_heads.room_id`.execute(db)
  return messages.map(({ id }) => id)
}

async function insertAll<Row>(rows: Row[], insert: (rows: Row[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) await insert(rows.slice(at, at + rowsAtOnce))
}
