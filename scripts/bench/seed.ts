import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { hashToken } from '../../src/auth/tokens.ts'
import { newHousePermissions } from '../../src/houses/permissions.ts'
import { firstIdAt } from '../../src/ids.ts'
import { randomFrom } from '../../test/support/random.ts'

/** How much a seeded database holds; what is in the big room, and what mentions, is one in so many of the messages. */
export type Size = {
  houses: number
  roomsPerHouse: number
  messages: number
  inBigRoom: number
  mentions: number
}

export const smallSize: Size = {
  houses: 2,
  roomsPerHouse: 50,
  messages: 10_000,
  inBigRoom: 1_000,
  mentions: 1_000,
}
export const bigSize: Size = {
  houses: 10,
  roomsPerHouse: 300,
  messages: 10_000_000,
  inBigRoom: 1_000_000,
  mentions: 1_000_000,
}

/** Who and what the load uses; the same for every size. */
export const memberCount = 1_000
const firstUser = 1_000n
export const firstHouse = 10_000n
const firstRoom = 100_000n
const seededUntilMs = Date.UTC(2026, 0, 1)

type SeededPerson = { id: string; username: string; token: string; session_id: string }

/** The n-th member; the token is derived from the number, so that later runs can compute it. */
export function person(n: number): SeededPerson {
  const token = hashToken(`bench ${n}`).toString('hex').repeat(2)
  return {
    id: String(firstUser + BigInt(n)),
    username: `member${n}`,
    token,
    session_id: String(firstUser * 2n + BigInt(n)),
  }
}

/** The n-th room over all houses; the 0th is the big one. */
export function roomId(n: number): string {
  return String(firstRoom + BigInt(n))
}

/** The n-th house. */
export function houseId(n: number): string {
  return String(firstHouse + BigInt(n))
}

/** Fills an empty, migrated database by COPY. Every member is in every house; the mentions are all of member 0. */
export async function seed(databaseUrl: string, size: Size): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`set synchronous_commit = off; set maintenance_work_mem = '1GB'`)
  const rooms = size.houses * size.roomsPerHouse
  const range = (count: number) => Array.from({ length: count }, (_, n) => n)
  const people = range(memberCount).map(person)

  await copy(
    client,
    'users (id, username, name, email)',
    people.map((p) => [p.id, p.username, 'Member', `${p.username}@example.org`]),
  )
  await copy(
    client,
    'sessions (id, user_id, token_hash)',
    people.map((p) => [p.session_id, p.id, `\\\\x${hashToken(p.token).toString('hex')}`]),
  )
  await copy(
    client,
    'houses (id, name, owner_id, default_permissions)',
    range(size.houses).map((h) => [houseId(h), `House ${h}`, people[0]!.id, newHousePermissions]),
  )
  await copy(
    client,
    'members (house_id, user_id)',
    range(size.houses).flatMap((h) => people.map((p) => [houseId(h), p.id])),
  )
  await copy(
    client,
    'rooms (id, type, house_id, name, position)',
    range(rooms).map((r) => [
      roomId(r),
      0,
      houseId(r % size.houses),
      `room ${r}`,
      Math.floor(r / size.houses),
    ]),
  )
  await withoutSearchIndex(client, () =>
    copy(
      client,
      'messages (room_id, house_id, id, author_id, device_id, content, mentions)',
      messageRows(size, rooms),
    ),
  )
  await copy(client, 'mentions (user_id, message_id, room_id, author_id)', mentionRows(size, rooms))
  await client.query(
    `update room_heads set last_message_id = (select max(id) from messages where room_id = room_heads.room_id)`,
  )
  await client.query('vacuum analyze')
  await client.end()
}

/** Builds the search index once at the end of some work: row by row it would take most of the time. */
export async function withoutSearchIndex(client: pg.Client, work: () => Promise<unknown>): Promise<void> {
  const { rows } = await client.query<{ indexdef: string }>(
    `select indexdef from pg_indexes where indexname = 'messages_search_by_time'`,
  )
  await client.query('drop index messages_search_by_time')
  await work()
  await client.query(rows[0]!.indexdef)
}

type Cell = string | number

async function copy(client: pg.Client, target: string, rows: Iterable<Cell[]>): Promise<void> {
  const sink = client.query(copyFrom(`copy ${target} from stdin`))
  await pipeline(Readable.from(inChunks(rows)), sink)
}

function* inChunks(rows: Iterable<Cell[]>): Generator<string> {
  let chunk = ''
  for (const row of rows) {
    chunk += `${row.join('\t')}\n`
    if (chunk.length > 65_536) {
      yield chunk
      chunk = ''
    }
  }
  if (chunk !== '') yield chunk
}

const words =
  'hearth fire wood smoke kettle winter story lamp chair window snow tea bread song river moss'.split(' ')

type Place = { room: number; id: string; author: SeededPerson; isMention: boolean }

/**
 * Every message in the order in which they were sent, one in a ms: each room writes now and then, so that neither the
 * page of a room nor the mentions of member 0 lie side by side.
 */
function* places(size: Size, rooms: number): Generator<Place> {
  const random = randomFrom(1).number
  const people = Array.from({ length: memberCount }, (_, n) => person(n))
  const inBigRoomEvery = size.messages / size.inBigRoom
  const mentionEvery = size.messages / size.mentions
  let nextMention = 0
  for (let n = 0; n < size.messages; n += 1) {
    if (n % mentionEvery === 0) nextMention = n + Math.floor(random() * mentionEvery)
    yield {
      room: n % inBigRoomEvery === 0 ? 0 : 1 + Math.floor(random() * (rooms - 1)),
      id: firstIdAt(seededUntilMs - size.messages + n),
      author: people[1 + (n % (memberCount - 1))]!,
      isMention: n === nextMention,
    }
  }
}

function* messageRows(size: Size, rooms: number): Generator<Cell[]> {
  const reader = person(0)
  let n = 0
  for (const { room, id, author, isMention } of places(size, rooms)) {
    n += 1
    const text = [n % 16, (n >> 4) % 16, (n >> 8) % 16, (n >> 12) % 16].map((w) => words[w]).join(' ')
    const content = isMention ? `${text} <@${reader.id}>` : text
    const house = houseId(room % size.houses)
    yield [
      roomId(room),
      house,
      id,
      author.id,
      author.session_id,
      content,
      isMention ? `{${reader.id}}` : '{}',
    ]
  }
}

function* mentionRows(size: Size, rooms: number): Generator<Cell[]> {
  const reader = person(0)
  for (const { room, id, author, isMention } of places(size, rooms)) {
    if (isMention) yield [reader.id, id, roomId(room), author.id]
  }
}
