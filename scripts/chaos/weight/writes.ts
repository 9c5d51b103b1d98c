import { smtpServer } from '../../../test/support/smtp.ts'
import type { WeightAttack } from './attack.ts'
import { answersBut, ordersOf } from './attack.ts'
import { addPeople, addPeopleWithPassword, password } from './scenes.ts'

/** The limits of docs/api.md, for each account: with some room for what is counted a moment later. */
const requestsBurst = 100
const requestsPerSecond = 50
const newGroupsPerMinute = 20
const maxOwnGroups = 200
const mailsPerHour = 5
const room = 1.2

/** Attacks that write, or have something sent to others. */
export const writes: WeightAttack[] = [
  {
    name: 'groups with somebody who is no friend',
    async prepare({ db, people }) {
      const [victim, other] = await addPeople(db, 2)
      const text = JSON.stringify({ recipients: [victim!.id, other!.id] })
      return {
        orders: ordersOf(people, 8, [{ method: 'POST', path: '/users/@me/rooms', body: { text } }]),
        async judge({ seconds }) {
          const rows = await db
            .selectFrom('room_recipients')
            .select('room_id')
            .where('user_id', '=', victim!.id)
            .execute()
          const each = Math.min(maxOwnGroups, newGroupsPerMinute * (1 + seconds / 60))
          if (rows.length <= people.length * each * room) return []
          return [`somebody was put into ${rows.length} groups`]
        },
      }
    },
  },
  {
    name: 'bodies of 12 MB that are hardly JSON',
    async prepare({ people }) {
      const bodies = [{ brackets: 12_000_000 }, { unknownKeys: 1_200_000 }]
      return {
        orders: ordersOf(
          people,
          1,
          bodies.map((body) => ({ method: 'PATCH', path: '/users/@me', body })),
        ),
      }
    },
  },
  {
    name: 'bodies with thousands of wrong values',
    async prepare({ people }) {
      const bodies = [{ recipients: 87_000 }, { recipients: 19_900 }]
      return {
        orders: ordersOf(
          people,
          2,
          bodies.map((body) => ({ method: 'POST', path: '/users/@me/rooms', body })),
        ),
      }
    },
  },
  {
    name: 'messages to rooms that do not exist',
    isQuick: true,
    async prepare({ people }) {
      const body = { text: '{"content":"hello"}' }
      return {
        orders: ordersOf(people, 4, [{ method: 'POST', path: '/rooms/{n}/messages', body }]),
        judge({ toll, seconds }) {
          const allowed = people.length * (requestsBurst + requestsPerSecond * seconds) * room
          const counted = answersBut(toll, 429)
          if (counted <= allowed) return []
          return [`${counted} requests in ${Math.round(seconds)} s were not refused`]
        },
      }
    },
  },
  {
    name: 'mails to addresses of others',
    async prepare({ db }) {
      const people = await addPeopleWithPassword(db, 10)
      const smtp = await smtpServer()
      const text = JSON.stringify({ email: 'somebody{n}@elsewhere.example', password })
      return {
        orders: ordersOf(people, 2, [{ method: 'PATCH', path: '/users/@me/email', body: { text } }]),
        environment: { SMTP_URL: smtp.url },
        judge() {
          const sent = smtp.mails.filter(({ to }) => to.some((address) => address.includes('@elsewhere.')))
          if (sent.length <= people.length * mailsPerHour) return []
          return [`${sent.length} mails were sent to others`]
        },
        close: smtp.close,
      }
    },
  },
]
