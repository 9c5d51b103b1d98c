import { sql } from 'kysely'
import type { Db } from '../../../src/database/client.ts'
import { type Expected, type Population, textOf } from './population.ts'

/** What became of messages that were acknowledged, and of the members: in sentences, none when all is as it must be. */
export async function compare(
  db: Db,
  { wanderers, complaints }: Population,
  expected: Expected[],
): Promise<string[]> {
  const found = [...complaints]
  const { rows } = await sql<{ id: string; content: string; name: string }>`
    select id, content, split_part(content, ' edit ', 1) as name from messages
    where split_part(content, ' edit ', 1) = any(${expected.map(({ name }) => name)})`.execute(db)
  const byName = Map.groupBy(rows, (row) => row.name)
  for (const { id, name, acknowledgedEdit, triedEdit } of expected) {
    const there = byName.get(name) ?? []
    if (there.length === 0) found.push(`lost: ${name}`)
    if (there.length > 1) found.push(`doubled: ${name}`)
    if (there.length !== 1) continue
    if (there[0]!.id !== id) found.push(`acknowledged as ${id}, there as ${there[0]!.id}: ${name}`)
    const edits = Array.from({ length: triedEdit - acknowledgedEdit + 1 }, (_none, n) => acknowledgedEdit + n)
    if (!edits.some((edit) => there[0]!.content === textOf(name, edit)))
      found.push(`lost edit ${acknowledgedEdit}: ${there[0]!.content}`)
  }
  for (const { user_id, house_id, isIn } of wanderers) {
    const { rows } = await sql`select from members
      where house_id = ${house_id} and user_id = ${user_id}`.execute(db)
    if (isIn !== undefined && rows.length > 0 !== isIn)
      found.push(isIn ? `a join was lost: ${user_id}` : `a leave was lost: ${user_id}`)
  }
  return found
}
