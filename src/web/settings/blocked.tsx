import { unblock } from '../friends/relationship-actions.tsx'
import { Picture } from '../shell/picture.tsx'
import { useAction } from '../shell/use-action.tsx'
import { relationshipType } from '../state/relationships.ts'
import { store } from '../state/store.ts'
import { st } from '../texts/settings.ts'
import { t } from '../texts/texts.ts'

/** Whom one has blocked. */
export function BlockedSettings() {
  const { act, notice } = useAction()
  const people = Object.values(store.relationships.value).filter(
    ({ type }) => type === relationshipType.blocked,
  )
  return (
    <section>
      <h2>{st().blockedPeople}</h2>
      <p class="muted">{people.length === 0 ? st().nobodyBlocked : st().blockedHint}</p>
      {notice}
      <ul class="rows">
        {people.map(({ user_id, user }) => (
          <li key={user_id} class="person">
            <Picture of={user} kind="users" size="large" />
            <span class="cut">
              <bdi>{user.name}</bdi> <span class="muted">@{user.username}</span>
            </span>
            <button
              type="button"
              aria-label={`${t().unblock}: ${user.name}`}
              onClick={() => unblock(user, act)}
            >
              {t().unblock}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
