import { addBots } from '../support/people.ts'
import { judgeSends, ordersOf, readersOf, type WeightAttack } from './attack.ts'
import type { Order } from './attacker.ts'
import { addGroups, addHouse, addPeople, heavyProfile } from './scenes.ts'

const longText = JSON.stringify({ content: `{n} ${'é'.repeat(3_900)}` })

/** Attacks that do something and undo it, over and over, or that make others wait for what nobody reads. */
export const loops: WeightAttack[] = [
  {
    name: 'resumes of ten people in 100 houses of 500 rooms',
    async prepare({ db, people }) {
      for (let n = 0; n < 100; n += 1) await addHouse(db, people, 500)
      return {
        orders: people.map(({ token }) => ({ kind: 'session', token, frames: [], afterwards: 'resumes' })),
        judge: judgeSends,
      }
    },
  },
  {
    name: 'blocks of ten people, set and lifted',
    async prepare({ db, people }) {
      const others = await addPeople(db, 10)
      await makeHeavy(db, [...people, ...others])
      const paths = others.map(({ id }) => `/relationships/@me/blocked/${id}`)
      const asked = paths.flatMap((path) => [
        { method: 'PUT', path },
        { method: 'DELETE', path },
      ])
      return { orders: [...readersOf(fiveTimes(people)), ...ordersOf(people, 4, asked)], judge: judgeSends }
    },
  },
  {
    name: 'a group of 50 long profiles, left and joined',
    async prepare({ db, people: [ann] }) {
      const bots = await addBots(db, ann!, 25)
      const others = await addPeople(db, 24)
      await makeHeavy(db, [ann!, ...bots, ...others])
      await addGroups(db, [ann!, ...bots, ...others], 1)
      const [group] = await listGroups(db, ann!.id)
      const path = `/rooms/${group}/recipients/${bots.at(-1)!.id}`
      const asked = [
        { method: 'DELETE', path },
        { method: 'PUT', path },
      ]
      const readers = [ann!, ...bots].flatMap((each) => Array(7).fill(each))
      return { orders: [...readersOf(readers), ...ordersOf([ann!], 2, asked)], judge: judgeSends }
    },
  },
  {
    name: 'typing in ten groups of 50',
    async prepare({ db, people }) {
      const others = await addPeople(db, 40)
      await makeHeavy(db, [...people, ...others])
      await addGroups(db, [...people, ...others], 10)
      const groups = await listGroups(db, people[0]!.id)
      const asked = groups.map((id) => ({ method: 'POST', path: `/rooms/${id}/typing` }))
      return { orders: [...readersOf(fiveTimes(people)), ...ordersOf(people, 4, asked)], judge: judgeSends }
    },
  },
  {
    name: 'long messages before 500 sockets that do not read',
    async prepare({ db, people }) {
      const { rooms } = await addHouse(db, people, 10)
      const sockets = people.flatMap(({ token }) => Array<string>(50).fill(token))
      const asked = rooms.map((id) => ({
        method: 'POST',
        path: `/rooms/${id}/messages`,
        body: { text: longText },
      }))
      return {
        orders: [
          ...sockets.map(
            (token): Order => ({ kind: 'session', token, frames: [], afterwards: 'stops reading' }),
          ),
          ...ordersOf(people, 4, asked),
        ],
        judge: judgeSends,
      }
    },
  },
]

type Scene = Parameters<WeightAttack['prepare']>[0]

function fiveTimes<Person>(people: readonly Person[]): Person[] {
  return people.flatMap((each) => Array<Person>(5).fill(each))
}

async function makeHeavy(db: Scene['db'], people: readonly { id: string }[]): Promise<void> {
  const ids = people.map(({ id }) => id)
  await db.updateTable('users').set(heavyProfile).where('id', 'in', ids).execute()
}

async function listGroups(db: Scene['db'], owner_id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('rooms')
    .select('id')
    .where('type', '=', 2)
    .where('owner_id', '=', owner_id)
    .execute()
  return rows.map(({ id }) => id)
}
