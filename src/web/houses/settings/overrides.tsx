import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { permission } from '../../../houses/permissions.ts'
import { bitsInHouse, mayInRoom } from '../../rooms/permissions.ts'
import { roomsByCategory } from '../../rooms/rooms.ts'
import { api } from '../../session.ts'
import { offerUndo } from '../../shell/announcement.tsx'
import { closeDialog, openDialog } from '../../shell/dialog.tsx'
import { Field, Form } from '../../shell/form.tsx'
import { useAction } from '../../shell/use-action.tsx'
import type { House, Room } from '../../state/state.ts'
import { store } from '../../state/store.ts'
import { st } from '../../texts/settings.ts'
import { t } from '../../texts/texts.ts'
import { PermissionFields, readPermissions } from './permission-fields.tsx'
import type { AllowDeny } from './permission-names.ts'

const ofRole = 0
const ofMember = 1
const none: AllowDeny = { allow: 0, deny: 0 }

/** What a room allows and denies: to everybody, to roles, to single members. */
export function OverrideSettings({ house }: { house: House }) {
  const id = useId()
  const rooms = roomsByCategory(house)
    .flatMap((category) => category.rooms)
    .filter((room) => mayEdit(room, ofRole) || mayEdit(room, ofMember))
  const chosen = useSignal('')
  const room = rooms.find((each) => each.id === chosen.value) ?? rooms[0]
  if (!room) return null
  return (
    <section>
      <div class="field">
        <label for={id}>{st().room}</label>
        <select
          id={id}
          value={room.id}
          onChange={(event) => {
            chosen.value = event.currentTarget.value
          }}
        >
          {rooms.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
        </select>
      </div>
      <RoomOverrides key={room.id} house={house} room={room} />
    </section>
  )
}

function mayEdit(room: Room, type: number): boolean {
  return mayInRoom(room, type === ofRole ? permission.MANAGE_ROOMS : permission.MANAGE_USER_OVERRIDES)
}

function RoomOverrides({ house, room }: { house: House; room: Room }) {
  const { act, notice } = useAction()
  const overrides = room.permission_overrides ?? {}
  const held = bitsInHouse(house)
  const set = (target_id: string, type: 0 | 1) => async (after: AllowDeny) => {
    await api.call('setOverride', { params: { id: room.id, target_id }, body: { type, ...after } })
  }
  const remove = async (target_id: string, name: string) => {
    const { type, allow, deny } = overrides[target_id]!
    const params = { id: room.id, target_id }
    await api.call('removeOverride', { params })
    const undo = () => api.call('setOverride', { params, body: { type: type as 0 | 1, allow, deny } })
    offerUndo(st().overrideRemoved(name), undo)
  }
  const everybody = async (body: AllowDeny) => {
    await api.call('editDefaultPermissions', { params: { id: room.id }, body })
  }
  const roles = mayEdit(room, ofRole) ? house.roles : []
  const members = Object.entries(overrides).filter(([, { type }]) => type === ofMember)
  const addMember = async ({ username = '' }: Record<string, string>) => {
    const user = await api.call('getUser', { params: { ref: username.trim() } })
    openOverride(user.name, overrides[user.id] ?? none, held, set(user.id, ofMember))
  }
  const row = (target: string, name: string, save: (after: AllowDeny) => Promise<void>) => (
    <OverrideRow
      key={target}
      name={name}
      isSet={target in overrides}
      edit={() => openOverride(name, overrides[target] ?? none, held, save)}
      remove={() => act(() => remove(target, name))}
    />
  )
  return (
    <>
      {notice}
      <ul class="rows">
        {mayEdit(room, ofRole) && (
          <OverrideRow
            name={st().everybody}
            isSet={false}
            edit={() =>
              openOverride(st().everybody, room.default_permission_override ?? none, held, everybody)
            }
          />
        )}
        {roles.map(({ id, name }) => row(id, name, set(id, ofRole)))}
        {mayEdit(room, ofMember) &&
          members.map(([id]) => row(id, store.users.value[id]?.name ?? id, set(id, ofMember)))}
      </ul>
      {mayEdit(room, ofMember) && (
        <Form action={st().addMember} submit={addMember}>
          <Field label={t().username} name="username" hint={st().addMemberHint} autocomplete="off" />
        </Form>
      )}
    </>
  )
}

type OverrideRowProps = { name: string; isSet: boolean; edit: () => void; remove?: () => void }

function OverrideRow({ name, isSet, edit, remove }: OverrideRowProps) {
  return (
    <li class="person">
      <span class="cut grows">{name}</span>
      <button type="button" aria-label={`${t().edit}: ${name}`} onClick={edit}>
        {t().edit}
      </button>
      {isSet && (
        <button type="button" aria-label={`${t().remove}: ${name}`} onClick={remove}>
          {t().remove}
        </button>
      )}
    </li>
  )
}

function openOverride(
  name: string,
  before: AllowDeny,
  held: number,
  save: (after: AllowDeny) => Promise<void>,
): void {
  const submit = async (values: Record<string, string>) => {
    await save(readPermissions(before, values))
    closeDialog()
  }
  openDialog(
    st().permissionsOf(name),
    <Form action={st().saveChanges} submit={submit}>
      <PermissionFields value={before} held={held} isInRoom />
    </Form>,
  )
}
