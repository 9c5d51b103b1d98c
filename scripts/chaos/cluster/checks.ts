import type { Arrangement } from '../../cluster/arrangement.ts'
import type { House } from '../nodes/house.ts'
import { insist, until } from '../nodes/insist.ts'
import type { Traffic } from '../nodes/traffic.ts'
import type { Person } from '../support/people.ts'

/** Whether the primary has every message of the round that was acknowledged. */
export async function compareRows({ postgres }: Arrangement, { sent }: Traffic): Promise<string[]> {
  const acknowledged = [...sent.values()].flat()
  const ofRooms = `select id from messages where room_id in (${[...sent.keys()].join()})`
  const rows = await postgres.primary.query<{ id: string }>(ofRooms)
  const present = new Set(rows.map(({ id }) => id))
  const lost = acknowledged.filter((id) => !present.has(id))
  return lost.length === 0 ? [] : [`${lost.length} of ${acknowledged.length} messages are lost: ${lost[0]}`]
}

/** Whether exactly these of the residents are online in the list of members, or come to be soon. */
export async function comparePresences(
  { origin }: Arrangement,
  { id, owner, residents }: House,
  online: readonly Person[],
): Promise<string[]> {
  const wanted = online.map((person) => person.id).sort()
  let found: string[] = []
  const agrees = async () => {
    const { data } = await insist(origin, owner.token, 'GET', `/houses/${id}/members?limit=1000`)
    const members = data as { user_id: string; user: { presence: string } }[]
    found = residents
      .map((person) => person.id)
      .filter((each) => members.find((member) => member.user_id === each)?.user.presence === 'online')
      .sort()
    return found.join() === wanted.join()
  }
  if (await until(agrees)) return []
  return [`${found.length} residents are online, and ${wanted.length} must be`]
}
