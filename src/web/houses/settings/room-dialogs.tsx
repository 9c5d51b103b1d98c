import { useId } from 'preact/hooks'
import { api } from '../../session.ts'
import { openConfirmation } from '../../shell/confirmation.tsx'
import { closeDialog, openDialog } from '../../shell/dialog.tsx'
import { Field, Form } from '../../shell/form.tsx'
import { TextArea } from '../../shell/text-area.tsx'
import type { House, Room } from '../../state/state.ts'
import { st } from '../../texts/settings.ts'
import { t } from '../../texts/texts.ts'

type Values = Record<string, string>

/** Creates a room, or edits the one that is given. */
export function openRoom(house: House, room?: Room): void {
  const before = categoryOf(house, room)
  const submit = async ({ name = '', description = '', category = before }: Values) => {
    const body = { name, description, ...(category !== before && { parent_entity_id: category }) }
    if (room) await api.call('editRoom', { params: { id: room.id }, body })
    else await api.call('createHouseRoom', { params: { id: house.id }, body })
    closeDialog()
  }
  openDialog(
    room ? st().editRoom : t().createRoom,
    <Form action={room ? st().saveChanges : t().create} submit={submit}>
      <Field label={t().roomName} name="name" value={room?.name ?? ''} maxLength={64} isFocused />
      <TextArea label={st().description} name="description" value={room?.description ?? ''} maxLength={512} />
      {house.entities.length > 0 && (
        <CategoryChoice house={house} value={before} mayBeNone={room !== undefined && before === ''} />
      )}
    </Form>,
  )
}

/** The id of the category that a room is in; empty for none. */
function categoryOf(house: House, room: Room | undefined): string {
  const isIn = ({ resource_pointers }: House['entities'][number]) =>
    resource_pointers.some(({ resource_id }) => resource_id === room?.id)
  return house.entities.find(isIn)?.id ?? ''
}

type CategoryChoiceProps = { house: House; value: string; mayBeNone: boolean }

function CategoryChoice({ house, value, mayBeNone }: CategoryChoiceProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{st().category}</label>
      <select id={id} name="category">
        {mayBeNone && <option value="">{st().withoutCategory}</option>}
        {house.entities.map((entity) => (
          <option key={entity.id} value={entity.id} selected={entity.id === value}>
            {entity.name}
          </option>
        ))}
      </select>
    </div>
  )
}

export function openDeleteRoom(room: Room): void {
  openConfirmation(st().deleteRoom, st().deleteRoomSure(room.name ?? ''), () =>
    api.call('deleteRoom', { params: { id: room.id } }),
  )
}

export function openCreateCategory({ id }: House): void {
  openCategory(st().createCategory, t().create, '', (name) =>
    api.call('createEntity', { params: { id }, body: { name } }),
  )
}

export function openEditCategory({ id }: House, entity_id: string, name: string): void {
  openCategory(st().editCategory, st().saveChanges, name, (next) =>
    api.call('editEntity', { params: { id, entity_id }, body: { name: next } }),
  )
}

function openCategory(
  title: string,
  action: string,
  value: string,
  save: (name: string) => Promise<unknown>,
): void {
  const submit = async ({ name = '' }: Values) => {
    await save(name)
    closeDialog()
  }
  openDialog(
    title,
    <Form action={action} submit={submit}>
      <Field label={st().categoryName} name="name" value={value} maxLength={64} isFocused />
    </Form>,
  )
}

export function openDeleteCategory({ id }: House, entity_id: string, name: string): void {
  openConfirmation(st().deleteCategory, st().deleteCategorySure(name), () =>
    api.call('deleteEntity', { params: { id, entity_id } }),
  )
}
