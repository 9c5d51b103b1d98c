import pg from 'pg'
import { firstIdAt } from '../../src/ids.ts'
import type { Server } from '../../test/support/server.ts'
import { median, percentile } from '../percentile.ts'
import type { Row } from './report.ts'
import { houseId, person, roomId, seed, withoutSearchIndex } from './seed.ts'

/** A house in which messages are searched. */
export type SearchSize = { rooms: number; messages: number }

const secondsApart = 10
const seededUntilMs = Date.UTC(2026, 0, 1)

/** What is searched for; the words are those of `seedSearch`. */
const searches: [string, string][] = [
  ['a common word', 'the'],
  ['a rare word', 'rare'],
  ['a word that is only in the older half', 'bygone'],
  ['a beginning of three letters, of words that are only in the older half', 'byg'],
  ['a word of deleted messages', 'deleted'],
  ['an absent word', 'nowhere'],
  ['only an exclusion, of what every message has', '-always'],
  ['two words that never occur together', 'ping pong'],
]

/**
 * Fills an empty, migrated database with one house, a message every ten seconds. Beside six words of 30,000, a few of them
 * frequent, each message has some of those that are searched for.
 */
export async function seedSearch(databaseUrl: string, { rooms, messages }: SearchSize): Promise<void> {
  await seed(databaseUrl, { houses: 1, roomsPerHouse: rooms, messages: 0, inBigRoom: 0, mentions: 0 })
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const [author, word] = [person(1), `'w' || floor(30000 * random() ^ 4)::integer`]
  const firstId = firstIdAt(seededUntilMs - messages * secondsApart * 1_000)
  await withoutSearchIndex(client, () =>
    client.query(`insert into messages (room_id, house_id, id, author_id, device_id, content)
      select ${roomId(0)} + floor(${rooms} * random() ^ 2)::integer, ${houseId(0)},
        ${firstId} + ((n * ${secondsApart * 1_000}::bigint) << 22), ${author.id}, ${author.session_id},
        concat_ws(' ', 'always', ${Array(6).fill(word).join(', ')}, case when random() < 0.4 then 'the' end,
          case n % 5 when 0 then 'ping' when 1 then 'ping' when 2 then 'pong' when 3 then 'pong' end,
          case when n < ${messages / 2} and random() < 0.4 then 'bygone' end,
          case when n % 100 = 0 then 'deleted' end, case when n % ${messages / 5} = 7 then 'rare' end)
      from generate_series(1::integer, ${messages}) as n`),
  )
  await client.query(
    `update room_heads set last_message_id = (select max(id) from messages where room_id = room_heads.room_id)`,
  )
  await client.query('vacuum analyze')
  await client.query(`delete from messages where content like '% deleted%'`)
  await client.end()
}

/** The latencies of searches, one after the other, by members in turn. */
export async function measureSearch(hearth: Server, size: SearchSize, count: number): Promise<Row[]> {
  const rows: Row[] = []
  const [rooms, messages] = [size.rooms, size.messages].map((each) => each.toLocaleString('en'))
  for (const [title, q] of searches) {
    const url = `${hearth.origin}/houses/${houseId(0)}/messages/search?q=${encodeURIComponent(q)}`
    const times: number[] = []
    for (let n = 0; n < count; n += 1) {
      const from = performance.now()
      const answer = await fetch(url, { headers: { authorization: person(n).token } })
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`a search was answered ${answer.status}`)
      times.push(performance.now() - from)
    }
    const p99 = percentile(times, 0.99)
    rows.push({
      title: `p99 of a search for ${title}, house of ${rooms} rooms and ${messages} messages`,
      subject: `${p99.toFixed(0)} ms`,
      yardstick: `p50: ${median(times).toFixed(0)} ms`,
      value: p99,
      unit: ' ms',
      target: 300,
      higherIsBetter: false,
    })
  }
  return rows
}
