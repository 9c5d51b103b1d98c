import { put, without } from '../records.ts'
import { relationshipType } from '../relationships.ts'
import type { ById, Reducer, State, User } from '../state.ts'

/** Users and who is online, with what these users say. */
export function withUsers({ users, online }: Pick<State, 'users' | 'online'>, seen: readonly User[]) {
  const changed: ById<User> = { ...users }
  const present: ById<true> = { ...online }
  for (const user of seen) {
    changed[user.id] = user
    if (user.presence === 'online') present[user.id] = true
    else delete present[user.id]
  }
  return { users: changed, online: present }
}

export const presenceUpdate: Reducer<'PRESENCE_UPDATE'> = (state, user) => withUsers(state, [user])

export const userUpdate: Reducer<'USER_UPDATE'> = (state, user) => ({
  ...withUsers(state, [user]),
  ...(state.me?.id === user.id && { me: user }),
})

export const relationshipUpdate: Reducer<'RELATIONSHIP_UPDATE'> = (state, relationship) => {
  const { user_id, type, user } = relationship
  const { relationships } = state
  if (type === relationshipType.none) return { relationships: without(relationships, user_id) }
  return { ...withUsers(state, [user]), relationships: put(relationships, user_id, relationship) }
}

export const settingsUpdate: Reducer<'SETTINGS_UPDATE'> = (_state, settings) => ({ settings })
