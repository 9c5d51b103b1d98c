import { useRef } from 'preact/hooks'
import { hasBits, outranks, permission } from '../../../houses/permissions.ts'
import { bitsInHouse, factsIn } from '../../rooms/permissions.ts'
import { api } from '../../session.ts'
import { openConfirmation } from '../../shell/confirmation.tsx'
import { closeDialog, openDialog } from '../../shell/dialog.tsx'
import { Field, Form } from '../../shell/form.tsx'
import type { Placement } from '../../shell/order.ts'
import { useAction } from '../../shell/use-action.tsx'
import { useOrder } from '../../shell/use-order.ts'
import { roleUpdate } from '../../state/reducers/houses.ts'
import type { House, Role } from '../../state/state.ts'
import { change, currentState } from '../../state/store.ts'
import { st } from '../../texts/settings.ts'
import { t } from '../../texts/texts.ts'
import { PermissionBoxes, PermissionFields, readBoxes, readPermissions } from './permission-fields.tsx'
import { byRank, repositioned } from './role-order.ts'
import { RowButtons } from './row-buttons.tsx'
import { unsettledMs } from './settled-lists.ts'

type Values = Record<string, string>

/** The roles that stand below one's own, in their order, and what everybody may do. */
export function RoleSettings({ house }: { house: House }) {
  const bits = bitsInHouse(house)
  return (
    <>
      {hasBits(bits, permission.MANAGE_ROLES) && <Roles house={house} />}
      {hasBits(bits, permission.ADMINISTRATOR) && <Everybody house={house} held={bits} />}
    </>
  )
}

function Roles({ house }: { house: House }) {
  const { act, notice } = useAction()
  const facts = factsIn(house)
  const moved = useRef(new Map<string, { position: number; atMs: number }>())
  // The event of an earlier move may come after the answer to a later one.
  const positionOf = ({ id, position }: Role) => {
    const last = moved.current.get(id)
    return last && performance.now() - last.atMs < unsettledMs ? last.position : position
  }
  const all = house.roles.map((role) => ({ ...role, position: positionOf(role) }))
  const roles = byRank(all).filter((role) => outranks(facts, role.position))
  const place = ({ id, ids }: Placement) => {
    const name = roles.find((role) => role.id === id)?.name ?? ''
    return act(
      async () => {
        for (const { id: role_id, position } of repositioned(roles, ids)) {
          const params = { id: house.id, role_id }
          const role = await api.call('editRole', { params, body: { position } })
          moved.current.set(role_id, { position, atMs: performance.now() })
          change(roleUpdate(currentState(), role))
        }
      },
      t().movedTo(name, ids.indexOf(id) + 1, ids.length),
    )
  }
  const { area, step } = useOrder<HTMLUListElement>([{ id: 'roles', ids: roles.map(({ id }) => id) }], place)
  return (
    <section>
      <h2>{t().houseSections.roles}</h2>
      {outranks(facts, 0) && (
        <button type="button" class="primary" onClick={() => openRole(house)}>
          {st().createRole}
        </button>
      )}
      <p class="hint">{roles.length === 0 ? st().noRoles : `${st().rolesHint} ${st().orderHint}`}</p>
      {notice}
      <ul ref={area} class="rows" data-list="roles">
        {roles.map((role) => (
          <li key={role.id} class="person movable" data-item={role.id}>
            <RoleName role={role} />
            <RowButtons
              name={role.name}
              up={step(role.id, -1)}
              down={step(role.id, 1)}
              edit={() => openRole(house, role)}
              remove={() => openDeleteRole(role)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

function RoleName({ role }: { role: Role }) {
  return (
    <span class="cut grows">
      <svg class="dot" viewBox="0 0 10 10" aria-hidden="true">
        <circle cx="5" cy="5" r="5" fill={role.color} />
      </svg>{' '}
      {role.name}
    </span>
  )
}

function Everybody({ house, held }: { house: House; held: number }) {
  const { id, name, default_permissions: before } = house
  const save = async (values: Values) => {
    const default_permissions = readBoxes(before, held, values)
    await api.call('editHouse', { params: { id }, body: { name, default_permissions } })
  }
  return (
    <section>
      <h2>{st().everybody}</h2>
      <p class="hint">{st().everybodyHint}</p>
      <Form action={st().saveChanges} submit={save} done={st().saved}>
        <PermissionBoxes value={before} held={held} />
      </Form>
    </section>
  )
}

/** Creates a role, or edits the one that is given. */
function openRole(house: House, role?: Role): void {
  const before = role ?? { allow: 0, deny: 0 }
  const submit = async ({ name = '', color = '', ...values }: Values) => {
    const body = { name, color, ...readPermissions(before, values) }
    const params = { id: house.id }
    if (role) await api.call('editRole', { params: { ...params, role_id: role.id }, body })
    else await api.call('createRole', { params, body })
    closeDialog()
  }
  openDialog(
    role ? st().editRole : st().createRole,
    <Form action={role ? st().saveChanges : t().create} submit={submit}>
      <Field label={st().roleName} name="name" value={role?.name ?? ''} maxLength={64} isFocused />
      <label class="check">
        <input type="color" name="color" defaultValue={role?.color ?? '#99aab5'} /> {st().color}
      </label>
      <PermissionFields value={before} held={bitsInHouse(house)} />
    </Form>,
  )
}

function openDeleteRole({ id, house_id, name }: Role): void {
  openConfirmation(st().deleteRole, st().deleteRoleSure(name), () =>
    api.call('deleteRole', { params: { id: house_id, role_id: id } }),
  )
}
