import { newId } from '../../src/ids.ts'
import { type Den, db, type Person, published } from './world.ts'

/** A house's row, or undefined. */
export function houseRow(id: string) {
  return db.selectFrom('houses').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The summary of a house made by `house()`. */
export function houseSummary(den: Den, member_count: number) {
  return {
    id: den.id,
    name: 'Den',
    description: null,
    icon: null,
    banner: null,
    owner_id: den.owner.id,
    type: 0,
    member_count,
  }
}

/** The ids of a house's members, in order of joining. */
export async function membersOf(houseId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('members')
    .select('user_id')
    .where('house_id', '=', houseId)
    .orderBy('joined_at')
    .orderBy('user_id')
    .execute()
  return rows.map((row) => row.user_id)
}

/** Runs something and gives what it answered and the events it published. */
export async function watching<Answer>(run: () => Promise<Answer>) {
  const before = published.length
  const answer = await run()
  return { answer, events: published.slice(before) }
}

/** Makes a user a member of so many houses of another user, and gives the ids of the houses. */
export async function fillMemberships(person: Person, owner: Person, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId())
  await db
    .insertInto('houses')
    .values(ids.map((id) => ({ id, name: 'Full', owner_id: owner.id, default_permissions: 0 })))
    .execute()
  await db
    .insertInto('members')
    .values(ids.map((house_id) => ({ house_id, user_id: person.id })))
    .execute()
  return ids
}

/** Gives a message an attachment, and returns the name of its file in the store. */
export async function attach(roomId: string, messageId: string): Promise<string> {
  const attachment = JSON.stringify({ key: 'k', filename: 'f', content_type: 't', size: 1 })
  await db.updateTable('messages').set({ attachment }).where('id', '=', messageId).execute()
  return `attachments/${roomId}/k`
}
