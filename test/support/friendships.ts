import { call, expectTime, type Person } from './world.ts'

/** Somebody as lists of compact users show them. */
export function compactUser(person: { id: string; username: string }) {
  const { id, username } = person
  return { icon: null, id, username, name: username, header: null, flags: 0, bot: false }
}

/** Asks for friendship. */
export function ask(caller: Person | null, other: { id: string }) {
  return call(caller, 'POST', '/relationships/@me/friend-requests', { user_id: other.id })
}

/** What one person is to another over HTTP: a relationship type, found in the lists. */
export async function relationTo(caller: Person, other: { id: string }): Promise<number> {
  const data = async (path: string) => (await call(caller, 'GET', `/relationships/@me/${path}`)).body.data
  const has = (list: { id: string }[]) => list.some((one) => one.id === other.id)
  const { incoming, outgoing } = await data('friend-requests')
  const found = [
    [1, outgoing],
    [2, incoming],
    [3, await data('friends')],
    [4, await data('restricted')],
    [5, await data('blocked')],
  ].filter(([, list]) => has(list))
  if (found.length > 1) throw new Error(`several relations at once: ${found.map(([type]) => type)}`)
  return found[0]?.[0] ?? 0
}

/** The relations of two people, from both sides. */
export async function relations(one: Person, other: Person): Promise<[number, number]> {
  return [await relationTo(one, other), await relationTo(other, one)]
}

/** The event with the relation of a user to another. */
export function updated(who: Person, other: Person, relationship_type: number) {
  return {
    type: 'relationship_updated',
    user_id: who.id,
    other_id: other.id,
    relationship_type,
    last_updated_at: expectTime,
  }
}
