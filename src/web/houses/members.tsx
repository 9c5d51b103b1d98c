import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { connections, requestAllMembers } from '../connection.ts'
import { othersIn } from '../rooms/rooms.ts'
import { coverPage } from '../router.ts'
import { isWide } from '../shell/media.ts'
import { Picture } from '../shell/picture.tsx'
import { useRovingFocus } from '../shell/use-roving-focus.ts'
import type { Room, User } from '../state/state.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { BotMark } from './bot-mark.tsx'
import { openPerson } from './person.tsx'
import { nameColor } from './role-color.ts'

/** So many are shown at first, and so many more whenever one comes near to the last of them. */
const pageSize = 100
const nearPx = 800

/** Who can be met in a room: the members of its house, or the people of a private room. */
function peopleOf(room: Room): User[] {
  const members = Object.values(store.members.value[room.house_id ?? ''] ?? {})
  const me = store.me.value
  const inPrivate = me ? [me, ...othersIn(room)] : []
  const known = room.house_id === null ? inPrivate : members.map(({ user }) => user)
  const users = known.map((user) => store.users.value[user.id] ?? user)
  return users.sort((a, b) => a.name.localeCompare(b.name))
}

/** Who is there, and who is not. To be keyed by the house, or by the private room. */
export function Members({ room }: { room: Room }) {
  const { house_id } = room
  const shown = useSignal(pageSize)
  // A new login has forgotten those whom HOUSE_JOIN leaves out.
  useEffect(() => {
    if (house_id !== null) requestAllMembers(house_id)
  }, [house_id, connections.value])
  const online = store.online.value
  // Of a house it does not matter which room it is, nor what is sent there.
  const known = house_id === null ? room : store.members.value[house_id]
  const groups = useMemo(
    () => Object.groupBy(peopleOf(room), ({ id }) => (id in online ? 'online' : 'offline')),
    [known, online, store.users.value, store.me.value],
  )
  const aside = useCoverKeys()
  const list = useRef<HTMLDivElement>(null)
  useRovingFocus(list)
  const grow = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement) => {
    if (scrollHeight - scrollTop - clientHeight < nearPx) shown.value += pageSize
  }
  const { online: present = [], offline: absent = [] } = groups
  const left = Math.max(0, shown.value - present.length)
  return (
    <aside ref={aside} class="members" tabIndex={-1} aria-label={t().members}>
      <header class="page-head">
        <h2>{t().members}</h2>
      </header>
      <div ref={list} class="members-list" onScroll={(event) => grow(event.currentTarget)}>
        <Group title={t().online} people={present} shown={shown.value} houseId={house_id} isOnline />
        <Group title={t().offline} people={absent} shown={left} houseId={house_id} isOnline={false} />
      </div>
    </aside>
  )
}

/** Where it covers the conversation it has the focus, which Escape gives back. */
function useCoverKeys() {
  const aside = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = aside.current
    if (isWide.value || !element) return undefined
    const before = document.activeElement
    element.focus()
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      if (document.querySelector('dialog[open], [popover]:popover-open')) return
      event.preventDefault()
      coverPage(false)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
      const isElsewhere =
        document.activeElement !== document.body && !element.contains(document.activeElement)
      if (before instanceof HTMLElement && !isElsewhere) before.focus()
    }
  }, [isWide.value])
  return aside
}

type GroupProps = {
  title: string
  people: User[]
  shown: number
  houseId: string | null
  isOnline: boolean
}

function Group({ title, people, shown, houseId, isOnline }: GroupProps) {
  if (people.length === 0) return null
  return (
    <section>
      <h3>
        {title} <span class="muted">{people.length}</span>
      </h3>
      <ul>
        {people.slice(0, shown).map((user) => (
          <MemberRow key={user.id} user={user} houseId={houseId} isOnline={isOnline} />
        ))}
      </ul>
    </section>
  )
}

type MemberRowProps = { user: User; houseId: string | null; isOnline: boolean }

function MemberRow({ user, houseId, isOnline }: MemberRowProps) {
  return (
    <li>
      <button
        type="button"
        class="plain member"
        aria-haspopup="dialog"
        onClick={() => openPerson(user, houseId)}
      >
        <span class="with-presence" data-online={isOnline ? '' : undefined}>
          <Picture of={user} kind="users" />
        </span>
        <span class="cut" style={{ color: nameColor(houseId, user.id) }}>
          {user.name}
        </span>
        <BotMark of={user} />
      </button>
    </li>
  )
}
