import type { WeightAttack } from './attack.ts'
import { judgeSends, ordersOf, readersOf } from './attack.ts'
import { addHouse, addMessages, addPeople, addUnusedRoles, heavyProfile } from './scenes.ts'

/** Attacks of one user on deliveries: there is one order of them, so the messages of everybody wait. */
export const deliveries: WeightAttack[] = [
  {
    name: 'a profile in 100 own houses, edited',
    async prepare({ db, people: [ann] }) {
      for (let n = 0; n < 100; n += 1) await addHouse(db, [ann!], 1)
      const body = { text: '{"bio":"number {n}"}' }
      const edits = ordersOf([ann!], 8, [{ method: 'PATCH', path: '/users/@me', body }])
      return { orders: [...readersOf([ann!]), ...edits], judge: judgeSends }
    },
  },
  {
    name: 'an own house of 500 rooms and 250 roles, edited',
    isQuick: true,
    async prepare({ db, people: [ann] }) {
      const { id, rooms } = await addHouse(db, [ann!], 500)
      const roles = await addUnusedRoles(db, id, 250)
      const body = { text: '{"name":"number {n}"}' }
      const paths = [`/houses/${id}`, `/houses/${id}/roles/${roles[0]}`, `/rooms/${rooms[0]}`]
      const edits = ordersOf(
        [ann!],
        8,
        paths.map((path) => ({ method: 'PATCH', path, body })),
      )
      return { orders: [...readersOf(Array(10).fill(ann)), ...edits], judge: judgeSends }
    },
  },
  {
    name: 'presences of 1,000 people, by 20 sockets',
    async prepare({ db, people: [ann] }) {
      const others = await addPeople(db, 1_000)
      await addHouse(db, [ann!, ...others], 1)
      const ask = JSON.stringify({ op: 6, d: { user_ids: others.map(({ id }) => id) } })
      return { orders: readersOf(Array(20).fill(ann), [ask]), judge: judgeSends }
    },
  },
  {
    name: 'mentions of 50 long profiles, edited before 20 readers',
    async prepare({ db, people }) {
      const [ann] = people
      const others = await addPeople(db, 50)
      await db
        .updateTable('users')
        .set(heavyProfile)
        .where(
          'id',
          'in',
          others.map(({ id }) => id),
        )
        .execute()
      const { rooms } = await addHouse(db, [...people, ...others], 1)
      const [message] = await addMessages(db, rooms, ann!)
      const text = JSON.stringify({ content: `{n} ${others.map(({ id }) => `<@${id}>`).join('')}` })
      const path = `/rooms/${rooms[0]}/messages/${message}`
      const edits = ordersOf([ann!], 4, [{ method: 'PATCH', path, body: { text } }])
      return { orders: [...readersOf([...people, ...people]), ...edits], judge: judgeSends }
    },
  },
]
