import { expect } from 'vitest'
import { listIds } from './messages.ts'
import { told } from './permissions.ts'
import { call, failure, house, houseRoom, message, type Person, user } from './world.ts'

/** A house with messages by two people, by content; one room is hidden from the second. */
export async function archive() {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const hidden = await houseRoom(den, { default_deny: 2 })
  const second = await houseRoom(den)
  const say = (content: string, author = ann, roomId = den.room_id) => message(roomId, author, { content })
  const ids = {
    apples: await say('Red apples and pears'),
    pears: await say('pears, red as apples', bob),
    german: await say('Die Äpfel sind ROT'),
    or: await say('apples or plums'),
    second: await say('apples elsewhere', bob, second),
    hidden: await say('apples in hiding', ann, hidden),
  }
  const inRoom = (query: string) => listIds(bob, `/rooms/${den.room_id}/messages/search?${query}`)
  const inHouse = (query: string) => listIds(bob, `/houses/${den.id}/messages/search?${query}`)
  return { ann, bob, den, hidden, second, ids, say, inRoom, inHouse }
}

/** A search text as a query. */
export const q = (text: string) => `q=${encodeURIComponent(text)}`

/** Holds a search to invalid_schema, with the names, for every query that is none. */
export async function refusesWrongSearches(caller: Person, url: string): Promise<void> {
  const wrong: Record<string, string> = {
    '': 'Required fields (q) not met',
    'q=': 'Required fields (q) not met',
    'q=%20': 'Required fields (q) not met',
    'q=%00': 'Required fields (q) not met',
    [q('a'.repeat(201))]: 'Required fields (q) not met',
    'q=a&author_id=x': 'Invalid fields (author_id)',
    'q=a&author_id=01': 'Invalid fields (author_id)',
    'q=a&author_id=9223372036854775808': 'Invalid fields (author_id)',
    'q=a&before=x': 'Invalid fields (before)',
    'q=a&limit=101': 'Invalid fields (limit)',
  }
  for (const [query, text] of Object.entries(wrong)) {
    const answer = await call(caller, 'GET', `${url}?${query}`)
    expect([query, ...told(answer)]).toEqual([query, 400, failure('invalid_schema', text)])
  }
}
