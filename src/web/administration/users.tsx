import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { api } from '../session.ts'
import { More } from '../shell/more.tsx'
import { Picture } from '../shell/picture.tsx'
import { usePages } from '../shell/use-pages.ts'
import { store } from '../state/store.ts'
import { at } from '../texts/administration.ts'
import { shortText } from '../texts/dates.ts'
import { sizeText } from '../texts/sizes.ts'
import type { AdministeredUser } from './administered-user.ts'
import { SearchField } from './search-field.tsx'
import { UserActions } from './user-actions.tsx'

const limit = 100

/** The accounts of the server, and what an admin can do about them. */
export function AdministeredUsers() {
  const wanted = useSignal('')
  const q = wanted.value.trim()
  const list = useRef<HTMLUListElement>(null)
  const pages = usePages<AdministeredUser>(
    limit,
    (last) =>
      api.call('listAdministeredUsers', {
        query: { limit, ...(q !== '' && { q }), ...(last && { after: last.user.id }) },
      }),
    [q],
  )
  const { items: users, failure, reload } = pages
  return (
    <section>
      <h2>{at().users}</h2>
      <SearchField label={at().findUsers} wanted={wanted} />
      {failure !== '' && <p role="alert">{failure}</p>}
      <p class="hint" role="status">
        {users?.length === 0 && at().noneFound}
      </p>
      <ul ref={list} class="rows">
        {users?.map((each) => (
          <UserRow key={each.user.id} of={each} reload={reload} />
        ))}
      </ul>
      <More of={pages} list={list} />
    </section>
  )
}

function UserRow({ of, reload }: { of: AdministeredUser; reload: () => Promise<void> }) {
  const { user, email, created_at, last_seen_at, storage_bytes } = of
  const isOneself = user.id === store.me.value?.id
  const marks = [
    isOneself && at().you,
    user.bot && at().bot,
    of.admin && at().admin,
    of.disabled && at().disabled,
  ]
  const seen = last_seen_at ? `${at().lastSeen} ${shortText(Date.parse(last_seen_at))}` : at().neverSeen
  return (
    <li class="person">
      <Picture of={user} kind="users" size="large" />
      <div class="grows breaks">
        <p>
          <bdi>{user.name}</bdi> <span class="muted">@{user.username}</span>{' '}
          {marks.map((mark) => mark && <strong class="badge">{mark}</strong>)}
        </p>
        <p class="hint">
          {email !== '' && `${email} · `}
          {at().created} {shortText(Date.parse(created_at))} · {seen} · {sizeText(storage_bytes)}
        </p>
      </div>
      {!isOneself && <UserActions of={of} reload={reload} />}
    </li>
  )
}
