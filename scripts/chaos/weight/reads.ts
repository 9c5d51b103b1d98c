import type { WeightAttack } from './attack.ts'
import { judgeSends, loginsOf, ordersOf } from './attack.ts'
import { addGroups, addHouse, addMessages, addPeople, addRoles } from './scenes.ts'

const maxPostgresGrownMb = 64

/** Attacks that read what is large, or in many ways. */
export const reads: WeightAttack[] = [
  {
    name: 'members with 125 roles, by 88 sockets that do not read',
    async prepare({ db, people }) {
      const { id } = await addHouse(db, people, 1)
      await addRoles(db, id, 125)
      const ask = JSON.stringify({ op: 7, d: { house_id: id, user_ids: people.map((each) => each.id) } })
      const frames = Array.from({ length: 24 }, () => ask)
      const sockets = Array.from({ length: 88 }, (_none, n) => people[n % people.length]!)
      return {
        orders: sockets.map(({ token }) => ({ kind: 'session', token, frames, afterwards: 'stops reading' })),
      }
    },
  },
  {
    name: 'private rooms of who is in 3,000 groups',
    async prepare({ db, people }) {
      await addGroups(db, [...people, ...(await addPeople(db, 40))], 3_000)
      const lists = ordersOf(people, 2, [
        { method: 'GET', path: '/users/@me/rooms' },
        { method: 'GET', path: '/users/@me/rooms?limit=1000' },
      ])
      const logins = loginsOf(people)
      return { orders: [...lists, ...logins] }
    },
  },
  {
    name: '1,000 members with 125 roles',
    async prepare({ db, people }) {
      const { id } = await addHouse(db, [...people, ...(await addPeople(db, 990))], 1)
      await addRoles(db, id, 125)
      return { orders: ordersOf(people, 3, [{ method: 'GET', path: `/houses/${id}/members?limit=1000` }]) }
    },
  },
  {
    name: '40 feeds of 40 houses with 500 rooms',
    async prepare({ db, people }) {
      for (let n = 0; n < 40; n += 1) {
        const { rooms } = await addHouse(db, people, 500)
        await addMessages(db, rooms, people[0]!)
      }
      return {
        orders: ordersOf(people, 4, [{ method: 'GET', path: '/streams/@me/feed?limit=100' }]),
        judge: judgeSends,
      }
    },
  },
  {
    name: 'reads in many forms',
    async prepare({ db, people }) {
      const { rooms } = await addHouse(db, people, 1)
      await addMessages(db, Array(200).fill(rooms[0]!), people[0]!)
      const paths = Array.from({ length: 100 }, (_none, n) =>
        listForms(rooms[0]!, people[0]!.id, n + 1),
      ).flat()
      return {
        orders: ordersOf(
          people,
          2,
          paths.map((path) => ({ method: 'GET', path })),
        ),
        judge({ postgresGrownMb }) {
          if (postgresGrownMb <= maxPostgresGrownMb) return []
          return [`PostgreSQL has grown by ${Math.round(postgresGrownMb)} MB`]
        },
      }
    },
  },
]

/** The lists of messages with a limit, in every form. */
function listForms(room: string, author: string, limit: number): string[] {
  const places = ['', '&before=9000000000000000000', '&after=1', '&around=1']
  const lists = [`/rooms/${room}/messages`, '/streams/@me/feed', '/streams/@me/mentions']
  const searches = ['', '&before=9000000000000000000', `&author_id=${author}`].map(
    (more) => `/rooms/${room}/messages/search?q=fire&limit=${limit}${more}`,
  )
  return [...lists.flatMap((list) => places.map((place) => `${list}?limit=${limit}${place}`)), ...searches]
}
