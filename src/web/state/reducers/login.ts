import { indexBy } from '../records.ts'
import { emptyState, type Reducer } from '../state.ts'
import { withUsers } from './people.ts'

/**
 * The whole state of a login. Houses follow one by one; messages stay, but may have missed events. Of another person
 * nothing stays.
 */
export const initState: Reducer<'INIT_STATE'> = (before, d) => {
  const state = before.me && before.me.id !== d.user.id ? emptyState : before
  const recipients = d.private_rooms.flatMap((room) => room.recipients ?? [])
  const related = Object.values(d.relationships).map((relationship) => relationship.user)
  const people = [...recipients, ...related, ...Object.values(d.presences), d.user]
  const stale = Object.entries(state.timelines).map(([id, each]) => [id, { ...each, isStale: true }])
  const rooms = Object.values(state.rooms).filter((room) => d.house_ids.includes(room.house_id ?? ''))
  const ofHouses = <Value>(record: Record<string, Value>) =>
    Object.fromEntries(Object.entries(record).filter(([id]) => d.house_ids.includes(id)))
  return {
    me: d.user,
    settings: d.settings,
    relationships: indexBy(
      Object.values(d.relationships).map((each) => ({ ...each, id: each.user_id, recipient_id: d.user.id })),
      (each) => each.user_id,
    ),
    readStates: d.read_state,
    recounted: undefined,
    ...withUsers({ users: state.users, online: {} }, people),
    // What was known of the houses stays until their HOUSE_JOIN, so that nothing flickers.
    houses: ofHouses(state.houses),
    rooms: indexBy([...rooms, ...d.private_rooms], (room) => room.id),
    members: Object.fromEntries(
      Object.entries(d.house_memberships).map(([id, member]) => [id, { [d.user.id]: member }]),
    ),
    houseOrder: d.house_ids,
    awaitedHouses: d.house_ids,
    timelines: Object.fromEntries(stale),
    typing: {},
  }
}
