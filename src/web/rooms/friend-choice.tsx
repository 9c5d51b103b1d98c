import { relationshipType } from '../state/relationships.ts'
import type { Relationship, User } from '../state/state.ts'
import { store } from '../state/store.ts'

const prefix = 'user-'

/** One's friends, but for these people. */
export function listFriends(without: readonly User[] = []): Relationship[] {
  const known = new Set(without.map(({ id }) => id))
  return Object.values(store.relationships.value).filter(
    ({ type, user_id }) => type === relationshipType.friends && !known.has(user_id),
  )
}

/** A box in a form for each of these friends. */
export function FriendChoice({ label, of }: { label: string; of: readonly Relationship[] }) {
  return (
    <fieldset>
      <legend>{label}</legend>
      {of.map(({ user_id, user }) => (
        <label key={user_id} class="tick">
          <input type="checkbox" name={`${prefix}${user_id}`} />
          <span class="cut">
            <bdi>{user.name}</bdi> <span class="muted">@{user.username}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** The ids of the friends whose boxes are ticked. */
export function readFriends(values: Record<string, string>): string[] {
  return Object.keys(values)
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
}
