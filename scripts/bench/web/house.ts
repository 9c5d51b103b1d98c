import pg from 'pg'
import { firstIdAt } from '../../../src/ids.ts'
import { firstHouse, person, roomId, smallSize } from '../seed.ts'

const words =
  'the of a fire in we kettle is on it tonight chairs are by window and snow will for bread'.split(' ')

/** The account in the browser: a member of a house of 1,000 members and 50 rooms. */
export const reader = person(0)

/** The n-th room of the house; the 0th is the long one. Of the rooms of both houses, every second is in this one. */
export function roomPath(n: number): string {
  return `/app/houses/${firstHouse}/rooms/${roomId(n * smallSize.houses)}`
}

/** The messages of the long room: one line to five, some with markdown. */
export const longRoom: readonly string[] = Array.from({ length: 10_000 }, (_, n) => contentOf(n))

/** Fills the long room of a seeded database, three messages of an author at a time, and marks all rooms as read. */
export async function fillLongRoom(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const startMs = Date.UTC(2026, 1, 1)
  const ids = longRoom.map((_, n) => firstIdAt(startMs + n * 40_000))
  const authors = ids.map((_, n) => person(1 + (Math.floor(n / 3) % 40)))
  await client.query('delete from messages where room_id = $1', [roomId(0)])
  await client.query(
    `insert into messages (room_id, id, author_id, device_id, content)
     select $1::bigint, id, author_id, device_id, content
     from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) as them (id, author_id, device_id, content)`,
    [roomId(0), ids, authors.map(({ id }) => id), authors.map(({ session_id }) => session_id), longRoom],
  )
  await client.query('update room_heads set last_message_id = $2 where room_id = $1', [roomId(0), ids.at(-1)])
  await client.query(
    `insert into read_states (user_id, room_id, message_id)
     select $1, room_id, last_message_id from room_heads where last_message_id is not null
     on conflict (user_id, room_id) do update set message_id = excluded.message_id`,
    [reader.id],
  )
  await client.query('vacuum analyze')
  await client.end()
}

function contentOf(n: number): string {
  const line = (from: number, count: number) =>
    Array.from({ length: count }, (_, each) => words[(from + each * 7) % words.length]).join(' ')
  if (n % 29 === 0) return `${line(n, 6)}\n\`\`\`\n${line(n + 1, 5)}\n${line(n + 2, 4)}\n\`\`\``
  if (n % 17 === 0) return `${line(n, 9)}\n${line(n + 3, 20)}\n${line(n + 5, 12)}`
  if (n % 7 === 0) return `**${line(n, 2)}** ${line(n, 12)} \`${line(n, 1)}\` https://example.org/${n}`
  return line(n, 3 + (n % 30))
}
