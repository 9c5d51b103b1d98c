import { addBots } from '../support/people.ts'
import { attackersAddress, judgeSends, type WeightAttack } from './attack.ts'
import type { Sending, SocketOrder } from './sockets.ts'

const addresses = Array.from({ length: 10 }, (_none, n) => `127.0.1.${n + 1}`)
const strangersOfAddress = 99
const bots = 25
const socketsOfBot = 25
const maxSocketsOfOwner = 200
/** Of an address, before one a second is left. */
const earlyEnds = 100
/** Sockets that send byte by byte. */
const trickling = 600
/** Connections that are closed and opened again count twice for a moment: they may exceed a limit by this factor. */
const room = 1.2

/** Attacks with what sockets of the gateway send, and with their number. */
export const socketAttacks: WeightAttack[] = [
  {
    name: 'messages in 16,384 fragments, on 990 sockets of ten addresses and 650 of a person with bots',
    async prepare({ db, people }) {
      const own = await addBots(db, people[0]!, bots)
      const all = [people[0]!, ...own].map(({ token }) => token)
      return {
        orders: [
          ...addresses.map((from) => socketsOf(null, strangersOfAddress, 'fragments', from)),
          ...all.map((token) => socketsOf(token, socketsOfBot, 'fragments')),
        ],
        judge: judgeSends,
      }
    },
  },
  {
    name: 'frames of 60,000 bytes, byte by byte, on 600 sockets',
    async prepare({ people }) {
      return {
        orders: [
          ...addresses.map((from) => socketsOf(null, trickling / 20, 'single bytes', from)),
          ...people.map(({ token }) => socketsOf(token, trickling / 20, 'single bytes')),
        ],
        judge(course) {
          const opened = course.toll.answers['101'] ?? 0
          // Sockets that are closed are opened again.
          if (opened > trickling) return judgeSends(course)
          return [...judgeSends(course), 'no socket was closed that sends byte by byte']
        },
      }
    },
  },
  {
    name: 'heartbeats and pongs without end, with and without a login',
    isQuick: true,
    async prepare({ people }) {
      const kinds: Sending[] = ['heartbeats', 'pongs', 'large heartbeats']
      return {
        orders: kinds.flatMap((sending) => [
          ...addresses.map((from) => socketsOf(null, 1, sending, from)),
          ...people.map(({ token }, n) => socketsOf(token, 1, sending, addresses[n]!)),
        ]),
        judge: judgeSends,
      }
    },
  },
  {
    name: 'sockets of ten addresses that close at once',
    async prepare() {
      return {
        orders: addresses.map((from) => socketsOf(null, 20, 'goodbye', from)),
        judge(course) {
          const opened = course.toll.answers['101'] ?? 0
          const allowed = addresses.length * (earlyEnds + course.seconds) * room
          return [
            ...judgeSends(course),
            ...(opened > allowed ? [`${opened} sockets were opened that ended before a login`] : []),
          ]
        },
      }
    },
  },
  {
    name: '650 sockets of a person with bots',
    async prepare({ db, people }) {
      const own = await addBots(db, people[0]!, bots)
      const all = [people[0]!, ...own].map(({ token }) => token)
      return {
        orders: all.map((token) => socketsOf(token, socketsOfBot, 'nothing')),
        judge({ toll }) {
          if (toll.open <= maxSocketsOfOwner * room) return []
          return [`${toll.open} sockets of an account and its bots are logged in`]
        },
      }
    },
  },
]

function socketsOf(
  token: string | null,
  count: number,
  sending: Sending,
  from = attackersAddress,
): SocketOrder {
  return { kind: 'sockets', from, token, count, sending }
}
