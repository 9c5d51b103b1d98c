import { addPerson, ask, type Person } from '../support/people.ts'
import type { Stage } from '../support/stage.ts'

const readMessages = 2

/** A house with a room for everybody, and one for those with a role. */
export type House = {
  id: string
  owner: Person
  /** Members that stay; every other one has the role. */
  residents: Person[]
  /** They come and go. */
  wanderers: Person[]
  invite: string
  general: string
  staffRoom: string
  isStaff(person: Person): boolean
}

/** Makes the house on a server. */
export async function makeHouse(
  { db }: Pick<Stage, 'db'>,
  origin: string,
  size: number,
  wanderers: number,
): Promise<House> {
  const addPeople = (count: number) => Promise.all(Array.from({ length: count }, () => addPerson(db)))
  const [owner] = (await addPeople(1)) as [Person]
  const house = await ask(origin, owner.token, 'POST', '/houses', { name: 'Den' })
  const path = `/houses/${house.id}`
  const { code } = await ask(origin, owner.token, 'POST', `${path}/invites`, {})
  const residents = await addPeople(size)
  for (const { token } of residents) await ask(origin, token, 'POST', `/invites/${code}`)
  const role = await ask(origin, owner.token, 'POST', `${path}/roles`, { name: 'staff', position: 1 })
  const room = await ask(origin, owner.token, 'POST', `${path}/rooms`, { name: 'staff' })
  await ask(origin, owner.token, 'PATCH', `/rooms/${room.id}/default-permissions`, {
    allow: 0,
    deny: readMessages,
  })
  const override = { type: 0, allow: readMessages, deny: 0 }
  await ask(origin, owner.token, 'PUT', `/rooms/${room.id}/overrides/${role.id}`, override)
  const staff = residents.filter((_person, index) => index % 2 === 0)
  for (const { id } of staff) await ask(origin, owner.token, 'PUT', `${path}/members/${id}/roles/${role.id}`)
  return {
    id: house.id,
    owner,
    residents,
    wanderers: await addPeople(wanderers),
    invite: code,
    general: house.rooms[0].id,
    staffRoom: room.id,
    isStaff: (person) => staff.includes(person),
  }
}
