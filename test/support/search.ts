import { sql } from 'kysely'
import { expect } from 'vitest'
import { listIds } from './messages.ts'
import { told } from './permissions.ts'
import { background } from './statements.ts'
import { type Answer, call, db, failure, house, houseRoom, message, type Person, user } from './world.ts'

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

/**
 * A house with three thousand messages in so many rooms, half of them in the first and two thirds by ann; bob cannot
 * read the last room. Half of what is said is common, little of it a needle, and some has exploded; another house
 * talks of the same.
 */
export async function longArchive(rooms: number) {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const other = await house({ owner: ann })
  const readable = [den.room_id]
  while (readable.length < rooms) readable.push(await houseRoom(den))
  const ids = [...readable, await houseRoom(den, { default_deny: 2 }), other.room_id]
  await sql`
    insert into messages (room_id, house_id, id, author_id, device_id, content, expires_at)
    select room_id, case when room_id = ${other.room_id} then ${other.id}::bigint else ${den.id}::bigint end, n,
      case when n % 3 = 0 then ${bob.id}::bigint else ${ann.id}::bigint end, 1,
      concat_ws(' ', 'said', case when n % 4 < 2 then 'common' end, case when n % 37 = 0 then 'needle' end,
        case when n < 1000 then 'old' end), case when n % 111 = 0 then now() end
    from (
      select n, (${ids}::bigint[])[case when n % 2 = 0 then 1 else 1 + (n / 2) % ${ids.length} end] as room_id
      from generate_series(1::integer, 3000) as n
    ) as numbered`.execute(db)
  await sql`
    update room_heads set last_message_id = (select max(id) from messages where room_id = room_heads.room_id)
    where room_id = any(${ids}::bigint[])`.execute(db)
  return { ann, bob, den, readable }
}

/** The ids of existing messages in these rooms that contain `words` and none of `without`, newest first. */
export async function holding(roomIds: string[], words: string[], without: string[], author?: Person) {
  const rows = await db
    .selectFrom('messages')
    .select(['id', 'content', 'author_id'])
    .where('room_id', 'in', roomIds)
    .where('expires_at', 'is', null)
    .orderBy('id', 'desc')
    .execute()
  const said = (content: string, word: string) => content.split(' ').includes(word)
  return rows
    .filter(({ content }) => words.every((word) => said(content, word)))
    .filter(({ content }) => !without.some((word) => said(content, word)))
    .filter(({ author_id }) => !author || author_id === author.id)
    .map(({ id }) => id)
}

/** The ids of all that a search finds, asked for page by page, `from` the first one or the page after an answer. */
export async function allPages(caller: Person, url: string, limit: number, from = ''): Promise<string[]> {
  const found: string[] = []
  for (let next = from; ; ) {
    const answer = await call(caller, 'GET', `${url}&limit=${limit}${next}`)
    expect(answer.status).toBe(200)
    found.push(...answer.body.data.map(({ id }: { id: string }) => id))
    next = nextPage(answer)
    if (next === '') return found
  }
}

/** The parameter for the page after an answer; empty for the last one. */
export function nextPage({ headers }: Answer): string {
  const next = /^<\?.*\bbefore=(\d+)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1]
  return next === undefined ? '' : `&before=${next}`
}

/** Settles when a statement has waited for a lock for longer than a search goes on. */
export async function untilWaitingLong(): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query !~ ${background.source} and clock_timestamp() - query_start > interval '200 ms'`.execute(db)
    if (rows.length > 0) return
  }
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
