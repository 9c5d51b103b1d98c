import { expect } from 'vitest'
import { call, db, failure, type Person } from './world.ts'

export const messageNotFound = failure('message_not_found', 'That message does not exist')

/** The ids of the messages a list answers, in its order. */
export async function listIds(caller: Person, url: string): Promise<string[]> {
  const answer = await call(caller, 'GET', url)
  expect(answer.status).toBe(200)
  return answer.body.data.map((one: { id: string }) => one.id)
}

/** The rows of a room, oldest first. */
export function listRows(roomId: string) {
  return db.selectFrom('messages').selectAll().where('room_id', '=', roomId).orderBy('id').execute()
}

/** Queries that are no page, and the parameters their failure names. */
const wrongPages: Record<string, string> = {
  'limit=0': 'limit',
  'limit=101': 'limit',
  'limit=x': 'limit',
  'limit=': 'limit',
  'limit=5&limit=6': 'limit',
  'before=x': 'before',
  'before=9999999999999999999': 'before',
  'after=-1': 'after',
  'around=01': 'around',
  'before=1&after=2': 'before, after',
  'after=2&before=1': 'before, after',
  'around=3&after=2&before=1': 'before, after, around',
  'limit=1000&around=x': 'limit, around',
  'limit=1000&before=01': 'limit, before',
  'limit=1000&after=9999999999999999999': 'limit, after',
}

/** Holds a list to invalid_schema for every malformed page. */
export async function refusesWrongPages(caller: Person, url: string): Promise<void> {
  for (const [query, names] of Object.entries(wrongPages)) {
    const answer = await call(caller, 'GET', `${url}?${query}`)
    expect([answer.status, answer.body]).toEqual([
      400,
      failure('invalid_schema', `Invalid fields (${names})`),
    ])
  }
}
