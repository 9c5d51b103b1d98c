import { sql } from 'kysely'
import { makePng } from '../pictures/png.ts'
import { addPerson } from '../support/people.ts'
import type { Course, WeightAttack } from './attack.ts'
import { allowedDelayIn, attackersAddress, loginsOf, ordersOf } from './attack.ts'
import { addHouse, addPeopleWithPassword, makeIds, password } from './scenes.ts'
import { upgradeHead } from './session.ts'

const maxFrameBytes = 3.5 * 2 ** 20
const maxIdleSockets = 100
/** A socket that has not logged in by then is closed, and makes room for another. */
const loginWithinSeconds = 30
const maxLoginMs = 500

/** For what takes no account. */
const addresses = Array.from({ length: 10 }, (_none, n) => `127.0.1.${n + 1}`)

/** Attacks that take what all share: waiting places, memory for bodies, connections, or the size of a frame. */
export const shares: WeightAttack[] = [
  {
    name: 'the largest house',
    async prepare({ db, people }) {
      const { id } = await addHouse(db, people, 500)
      const overrides = makeIds(130).map((target) => [
        target,
        { id: target, type: 0, allow: 0, deny: 1 << 12 },
      ])
      await sql`update rooms set permission_overrides = ${JSON.stringify(Object.fromEntries(overrides))}::jsonb
        where house_id = ${id}`.execute(db)
      const logins = loginsOf(people)
      const rename = { method: 'PATCH', path: `/houses/${id}`, body: { text: '{"name":"Den {n}"}' } }
      return {
        orders: [...logins, ...ordersOf([people[0]!], 1, [rename])],
        judge: ({ toll }) =>
          toll.largestFrameBytes <= maxFrameBytes
            ? []
            : [`a frame has ${(toll.largestFrameBytes / 2 ** 20).toFixed(1)} MiB`],
      }
    },
  },
  {
    name: '1,100 logins that are half sent, from ten addresses',
    async prepare({ db }) {
      const head = ['POST /auth/login HTTP/1.1', 'host: x', 'content-type: application/json']
      const text = [...head, `content-length: ${256 * 1024}`, '', '{"login":"'].join('\r\n')
      const { token } = await addPerson(db)
      const body = () => JSON.stringify({ bio: 'calm', unknown: 'x'.repeat(20_000) })
      return {
        orders: addresses.map((from) => ({ kind: 'open connections', from, count: 110, atOnce: 5, text })),
        probes: [{ name: 'large body', method: 'PATCH', path: '/users/@me', token, body, restMs: 200 }],
        judge: (course) => refusals(course, 'large body'),
      }
    },
  },
  {
    name: 'pictures without end',
    async prepare({ db, people }) {
      const { token } = await addPerson(db)
      const large = makePng({ width: 4_000, height: 4_000, colour: 6 }).toString('base64')
      const small = makePng({ width: 300, height: 300, colour: 6 }).toString('base64')
      const body = () => JSON.stringify({ icon: small })
      return {
        orders: ordersOf(people, 3, [{ method: 'PATCH', path: '/users/@me', body: { icon: large } }]),
        probes: [{ name: 'picture', method: 'PATCH', path: '/users/@me', token, body, restMs: 300 }],
        judge: (course) => refusals(course, 'picture'),
      }
    },
  },
  {
    name: 'logins with unknown names, from ten addresses',
    async prepare({ db }) {
      const people = await addPeopleWithPassword(db, 200)
      let last = 0
      // Each name has a bucket of its own, which a person alone would soon empty.
      const body = () => JSON.stringify({ login: people[last++ % people.length]!.username, password })
      const text = JSON.stringify({ login: 'nobody{n}', password })
      const asked = [{ method: 'POST', path: '/auth/login', body: { text } }]
      return {
        orders: addresses.map((from) => ({ kind: 'requests', from, token: null, atOnce: 20, asked })),
        probes: [{ name: 'login', method: 'POST', path: '/auth/login', body, restMs: 150 }],
        judge(course) {
          const { p50 } = course.during.seen.get('login')!
          const late = p50 > maxLoginMs + allowedDelayIn(course)
          return [
            ...refusals(course, 'login'),
            ...(late ? [`half of the logins took more than ${Math.round(p50)} ms`] : []),
          ]
        },
      }
    },
  },
  {
    name: '3,000 sockets of an address that do not log in',
    async prepare() {
      const idle = { kind: 'open connections', count: 3_000, atOnce: 100 } as const
      return {
        orders: [{ ...idle, from: attackersAddress, text: upgradeHead }],
        judge({ toll, seconds }) {
          const opened = toll.answers['101'] ?? 0
          if (opened <= maxIdleSockets * Math.ceil(seconds / loginWithinSeconds)) return []
          return [`${opened} sockets were opened that are not logged in`]
        },
      }
    },
  },
]

/** What others were refused who asked for no more than their share. */
function refusals({ during }: Course, probe: string): string[] {
  const { refused, statuses } = during.seen.get(probe)!
  return refused === 0 ? [] : [`a ${probe} of somebody else was refused: ${statuses}`]
}
