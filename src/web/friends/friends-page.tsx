import type { ComponentChildren } from 'preact'
import { openPrivateRoom } from '../rooms/open-private-room.ts'
import { api } from '../session.ts'
import { Field, Form } from '../shell/form.tsx'
import { Page } from '../shell/page.tsx'
import { Picture } from '../shell/picture.tsx'
import { useAction } from '../shell/use-action.tsx'
import { relationshipType } from '../state/relationships.ts'
import type { Relationship, User } from '../state/state.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { declineRequest, removeFriend, unblock, withdrawRequest } from './relationship-actions.tsx'

/** Friends, requests in both directions, and whom one has blocked. */
export function FriendsPage() {
  const { act, notice } = useAction()
  const all = Object.values(store.relationships.value)
  const listOf = (type: number) => all.filter((each) => each.type === type)
  // What changes comes as an event.
  const accept = ({ id: user_id }: User) => act(() => api.call('requestFriendship', { body: { user_id } }))
  const write = ({ id }: User) => act(() => openPrivateRoom(id))
  return (
    <Page title={t().friends}>
      <div class="page-body">
        <AddFriend />
        {notice}
        {all.length === 0 && <p class="muted">{t().noFriends}</p>}
        <People title={t().incoming} of={listOf(relationshipType.incomingRequest)}>
          {[
            [t().accept, accept],
            [t().decline, (user) => declineRequest(user)],
          ]}
        </People>
        <People title={t().friends} of={listOf(relationshipType.friends)}>
          {[
            [t().message, write],
            [t().unfriend, (user) => removeFriend(user)],
          ]}
        </People>
        <People title={t().outgoing} of={listOf(relationshipType.outgoingRequest)}>
          {[[t().withdraw, (user) => withdrawRequest(user, act)]]}
        </People>
        <People title={t().blocked} of={listOf(relationshipType.blocked)}>
          {[[t().unblock, (user) => unblock(user, act)]]}
        </People>
      </div>
    </Page>
  )
}

function AddFriend() {
  const submit = async ({ username = '' }: Record<string, string>) => {
    const { id } = await api.call('getUser', { params: { ref: username.trim() } })
    await api.call('requestFriendship', { body: { user_id: id } })
  }
  return (
    <section>
      <h2>{t().addFriend}</h2>
      <Form
        action={t().sendRequest}
        submit={submit}
        done={t().requestSent}
        errors={{ user_id: t().notYourself }}
      >
        <Field label={t().username} name="username" autocomplete="off" />
      </Form>
    </section>
  )
}

type PeopleProps = {
  title: string
  of: Relationship[]
  /** What can be done, with its label. */
  children: [string, (user: User) => void][]
}

function People({ title, of, children }: PeopleProps): ComponentChildren {
  if (of.length === 0) return null
  return (
    <section>
      <h2>{title}</h2>
      <ul class="people">
        {of.map(({ user_id, user }) => (
          <li key={user_id} class="person">
            <Picture of={user} kind="users" size="large" />
            <span class="cut">
              <bdi>{user.name}</bdi> <span class="muted">@{user.username}</span>
            </span>
            {children.map(([label, act]) => (
              <button
                key={label}
                type="button"
                aria-label={`${label}: ${user.name}`}
                onClick={() => act(user)}
              >
                {label}
              </button>
            ))}
          </li>
        ))}
      </ul>
    </section>
  )
}
