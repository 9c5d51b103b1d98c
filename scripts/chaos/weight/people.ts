import type { Db } from '../../../src/database/client.ts'
import { newId } from '../../../src/ids.ts'
import { addBots, type Person } from '../support/people.ts'
import { answersBut, ordersOf, type WeightAttack } from './attack.ts'
import type { Order } from './attacker.ts'
import { addHouse } from './scenes.ts'

/** The limits of a person: a user together with their bots (docs/api.md#rate-limits). */
const requestsBurst = 100
const requestsPerSecond = 50
const messagesBurst = 20
const messagesPerSecond = 10
/** Requests that are counted a moment later may exceed a limit by this factor. */
const room = 1.2
const maxBots = 25

/** Attacks with the requests of one person, or of a few. */
export const people: WeightAttack[] = [
  {
    name: 'messages of 25 bots of one person',
    isQuick: true,
    async prepare({ db, people: [owner] }) {
      const own = await addBots(db, owner!, maxBots)
      const { rooms } = await addHouse(db, [owner!, ...own], maxBots)
      const body = { text: '{"content":"hello"}' }
      return {
        orders: own.flatMap((bot, n) =>
          ordersOf([bot], 4, [{ method: 'POST', path: `/rooms/${rooms[n]}/messages`, body }]),
        ),
        judge({ toll, seconds }) {
          const counted = answersBut(toll, 429)
          if (counted <= (requestsBurst + requestsPerSecond * seconds) * room) return []
          return [`${counted} messages of one person's bots in ${Math.round(seconds)} s were not refused`]
        },
      }
    },
  },
  {
    name: 'edits of one message of each person',
    async prepare({ db, people }) {
      const { rooms } = await addHouse(db, people, 1)
      const orders = people.map(async (person): Promise<Order[]> => {
        const id = await addMessage(db, rooms[0]!, person)
        const body = { text: '{"content":"edit {n}"}' }
        return ordersOf([person], 4, [{ method: 'PATCH', path: `/rooms/${rooms[0]}/messages/${id}`, body }])
      })
      return {
        orders: (await Promise.all(orders)).flat(),
        judge({ toll, seconds }) {
          const allowed = people.length * (messagesBurst + messagesPerSecond * seconds) * room
          const counted = answersBut(toll, 429)
          if (counted <= allowed) return []
          return [`${counted} edits in ${Math.round(seconds)} s were not refused`]
        },
      }
    },
  },
]

async function addMessage(db: Db, room_id: string, { id: author_id, session_id }: Person): Promise<string> {
  const id = newId()
  await db
    .insertInto('messages')
    .values({ id, room_id, author_id, device_id: session_id, content: 'hello' })
    .execute()
  return id
}
