import type { Db } from '../../database/client.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import type { Presence } from '../../events/presence.ts'
import {
  deletePresences,
  insertPresences,
  lockPresences,
  takeOverPresences,
} from '../../events/presence-queries.ts'
import { listContactsOfEach } from '../../friendships/contact-queries.ts'
import { listHousesWithPresenceOfEach } from '../../houses/members/gateway-queries.ts'

/** An event with more contacts would be long, and the log keeps it: then each process reads them. */
const maxNamedContacts = 1_000

/** Writes who came online at a process and who went offline there, with an event for each who does so everywhere. */
export function changePresences(
  db: Db,
  node: number,
  { online, offline }: Record<Presence, readonly string[]>,
): Promise<Outcome<null>> {
  return commit(db, async (trx) => {
    await lockPresences(trx)
    const arrived = await insertPresences(trx, node, online)
    const left = await deletePresences(trx, node, offline)
    const events = [...(await eventsOf(trx, arrived, 'online')), ...(await eventsOf(trx, left, 'offline'))]
    return { answer: null, events }
  })
}

/** The audience is read under the lock: a user who is added to it later is sent the new presence. */
async function eventsOf(trx: Db, userIds: readonly string[], presence: Presence): Promise<HearthEvent[]> {
  if (userIds.length === 0) return []
  const contacts = await listContactsOfEach(trx, userIds)
  const houses = await listHousesWithPresenceOfEach(trx, userIds)
  return userIds.map((user_id, index) => {
    const ids = contacts[index]!.flatMap((contact) => (contact.is_blocked ? [] : contact.user_id))
    const contact_ids = ids.length > maxNamedContacts ? null : ids
    return { type: 'presence_changed', user_id, presence, contact_ids, house_ids: houses[index]! }
  })
}

/** Moves the users of processes that have ended to this one. Returns all users of its rows. */
export function claimPresences(db: Db, node: number): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    // A new process with the number of one that has ended writes under it only after this.
    await lockPresences(trx)
    return takeOverPresences(trx, node)
  })
}
