import { greatestId } from '../../src/ids.ts'
import type { LoadRequest } from './load.ts'
import { memberCount, person, roomId } from './seed.ts'

/** A measure of requests: the request to Hearth, and its yardstick. */
export type Measure = {
  key: string
  title: string
  /** The processor time of server and PostgreSQL for each request ÷ that of the yardstick, at most. */
  target: number
  /** A bare one gives the answer to the first of the requests. */
  yardstick: 'bare user' | 'bare page' | 'inserts'
  requests: LoadRequest[]
}

const people = Array.from({ length: memberCount }, (_, n) => person(n))
const json = { 'content-type': 'application/json' }

function get(path: string, n?: number): LoadRequest {
  return { method: 'GET', path, headers: n === undefined ? {} : { authorization: people[n]!.token } }
}

function send(room: number, n: number, mentions: boolean): LoadRequest {
  const content = mentions
    ? `hello <@${people[(n + 1) % memberCount]!.id}> by the fire`
    : 'hello by the fire tonight'
  const headers = { authorization: people[n]!.token, ...json }
  return {
    method: 'POST',
    path: `/rooms/${roomId(room)}/messages`,
    headers,
    body: JSON.stringify({ content }),
  }
}

const hundred = Array.from({ length: 100 }, (_, n) => n)

/** The path of the history page of a room, and of the mentions page of member 0. */
const historyPath = (room: number) => `/rooms/${roomId(room)}/messages?limit=50`
const mentionsPath = '/streams/@me/mentions?limit=50'
/** The same page, asked for in a hundred ways. */
const mentionsApart = hundred.map((n) => get(`${mentionsPath}&before=${BigInt(greatestId) - BigInt(n)}`, 0))

/** The measures that read. */
export const reads: Measure[] = [
  {
    key: 'own-user',
    title: '`GET /users/@me`, authorized',
    target: 1.8,
    yardstick: 'bare user',
    requests: hundred.map((n) => get('/users/@me', n)),
  },
  {
    key: 'user-by-id',
    title: '`GET /users/:id`',
    target: 1.8,
    yardstick: 'bare user',
    requests: hundred.map((n) => get(`/users/${people[n]!.id}`)),
  },
  {
    key: 'user-by-username',
    title: '`GET /users/:username`',
    target: 1.8,
    yardstick: 'bare user',
    requests: hundred.map((n) => get(`/users/${people[n]!.username}`)),
  },
  {
    key: 'history',
    title: '`GET /rooms/:id/messages?limit=50`',
    target: 2.2,
    yardstick: 'bare page',
    requests: hundred.map((n) => get(historyPath(n), n)),
  },
  {
    key: 'mentions',
    title: '`GET /streams/@me/mentions`, one page by one member: those who wait together share its reading',
    target: 3,
    yardstick: 'bare page',
    requests: [get(mentionsPath, 0)],
  },
  {
    key: 'mentions-apart',
    title: '`GET /streams/@me/mentions`, asked for in a hundred ways, so that no reading is shared',
    target: 3,
    yardstick: 'bare page',
    requests: mentionsApart,
  },
]

/** The measures that write: they leave more data than there was. */
export const sends: Measure[] = [
  {
    key: 'send-100-rooms',
    title: '`POST /rooms/:id/messages`, 100 rooms, 100 members, a tenth with mentions',
    target: 1.5,
    yardstick: 'inserts',
    requests: hundred.map((n) => send(n, n, n % 10 === 0)),
  },
  {
    key: 'send-one-room',
    title: '`POST /rooms/:id/messages`, all into one room',
    target: 1.5,
    yardstick: 'inserts',
    requests: hundred.map((n) => send(1, n, n % 10 === 0)),
  },
]

/** Pages over all the data, for latencies at two sizes: `rooms` of them, taken in turn. */
export function pageRequests(rooms: number): { history: LoadRequest[]; mentions: LoadRequest[] } {
  const spread = Array.from({ length: Math.min(rooms, 200) }, (_, n) =>
    Math.floor((n * rooms) / Math.min(rooms, 200)),
  )
  return {
    history: spread.map((room, n) => get(historyPath(room), n % memberCount)),
    mentions: mentionsApart,
  }
}
