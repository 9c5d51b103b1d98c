import { useSignal } from '@preact/signals'
import { useId, useRef } from 'preact/hooks'
import { canRemove, hasBits, outranks, permission } from '../../../houses/permissions.ts'
import { bitsInHouse, factsIn } from '../../rooms/permissions.ts'
import { api } from '../../session.ts'
import { openConfirmation } from '../../shell/confirmation.tsx'
import { closeDialog, openDialog } from '../../shell/dialog.tsx'
import { Field, Form } from '../../shell/form.tsx'
import { More } from '../../shell/more.tsx'
import { Picture } from '../../shell/picture.tsx'
import { usePages } from '../../shell/use-pages.ts'
import type { House, Member, Role } from '../../state/state.ts'
import { listed } from '../../texts/isolation.ts'
import { st } from '../../texts/settings.ts'
import { t } from '../../texts/texts.ts'
import { byRank } from './role-order.ts'

const limit = 100

/** The members of a house, found by name, with what one may do about them. */
export function MemberSettings({ house }: { house: House }) {
  const id = useId()
  const wanted = useSignal('')
  const q = wanted.value.trim()
  const list = useRef<HTMLUListElement>(null)
  const pages = usePages<Member>(
    limit,
    (last) =>
      api.call('listMembers', {
        params: { id: house.id },
        query: { limit, ...(q !== '' && { q }), ...(last && { after: last.user_id }) },
      }),
    [house.id, q],
  )
  const { items: members, failure, reload } = pages
  return (
    <section>
      <h2>{t().members}</h2>
      <div class="field grows">
        <label for={id}>{st().findMembers}</label>
        <input
          id={id}
          type="search"
          autocomplete="off"
          onInput={(event) => {
            wanted.value = event.currentTarget.value
          }}
        />
      </div>
      {failure !== '' && <p role="alert">{failure}</p>}
      <p class="hint" role="status">
        {members?.length === 0 && st().nobodyFound}
      </p>
      <ul ref={list} class="rows">
        {members?.map((member) => (
          <MemberRow key={member.user_id} house={house} member={member} reload={reload} />
        ))}
      </ul>
      <More of={pages} list={list} />
    </section>
  )
}

type MemberRowProps = { house: House; member: Member; reload: () => Promise<void> }

function MemberRow({ house, member, reload }: MemberRowProps) {
  const { user, roles } = member
  const facts = factsIn(house)
  const bits = bitsInHouse(house)
  const mayRemove = canRemove(facts, { ...facts, user_id: user.id, roles })
  const mayGive = hasBits(bits, permission.MANAGE_ROLES)
  const offered = byRank(house.roles).filter((role) => mayGive && outranks(facts, role.position))
  const actions: [string, () => void, boolean][] = [
    [st().editRoles, () => openRoles(member, house, offered, reload), offered.length > 0],
    [t().kick, () => openKick(member, house, reload), mayRemove && hasBits(bits, permission.KICK_MEMBERS)],
    [t().ban, () => openBan(member, house, reload), mayRemove && hasBits(bits, permission.EVICT_MEMBERS)],
  ]
  return (
    <li class="person">
      <Picture of={user} kind="users" size="large" />
      <span class="grows breaks">
        <bdi>{user.name}</bdi> <span class="muted">@{user.username}</span>
        <span class="hint">
          {' '}
          {listed([...(user.id === house.owner_id ? [t().owner] : []), ...roles.map(({ name }) => name)])}
        </span>
      </span>
      {actions
        .filter(([, , isOffered]) => isOffered)
        .map(([label, act]) => (
          <button key={label} type="button" aria-label={`${label}: ${user.name}`} onClick={act}>
            {label}
          </button>
        ))}
    </li>
  )
}

function openRoles(member: Member, house: House, offered: Role[], reload: () => Promise<void>): void {
  const { user, roles } = member
  const had = new Set(roles.map(({ id }) => id))
  const submit = async (values: Record<string, string>) => {
    for (const { id } of offered) {
      const params = { id: house.id, user_id: user.id, role_id: id }
      if (id in values && !had.has(id)) await api.call('giveRole', { params })
      if (!(id in values) && had.has(id)) await api.call('takeRole', { params })
    }
    closeDialog()
    await reload()
  }
  openDialog(
    st().rolesOf(user.name),
    <Form action={st().saveChanges} submit={submit}>
      {offered.map(({ id, name }) => (
        <label key={id} class="check">
          <input type="checkbox" name={id} defaultChecked={had.has(id)} /> <bdi>{name}</bdi>
        </label>
      ))}
    </Form>,
  )
}

function openKick({ user }: Member, { id }: House, reload: () => Promise<void>): void {
  openConfirmation(t().kick, t().kickSure(user.name), async () => {
    await api.call('kickMember', { params: { id, user_id: user.id } })
    await reload()
  })
}

function openBan({ user }: Member, { id }: House, reload: () => Promise<void>): void {
  const submit = async ({ reason = '' }: Record<string, string>) => {
    const body = reason === '' ? {} : { reason }
    await api.call('banUser', { params: { id, user_id: user.id }, body })
    closeDialog()
    await reload()
  }
  openDialog(
    t().ban,
    <Form action={t().ban} submit={submit} isDangerous>
      <p>{t().banSure(user.name)}</p>
      <Field label={st().reason} name="reason" maxLength={512} isOptional />
    </Form>,
  )
}
