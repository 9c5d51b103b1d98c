import type { Input } from '../../../client/operations.ts'
import { permission } from '../../../houses/permissions.ts'
import { mayInRoom } from '../../rooms/permissions.ts'
import { roomsByCategory } from '../../rooms/rooms.ts'
import { api } from '../../session.ts'
import type { Placement } from '../../shell/order.ts'
import { useAction } from '../../shell/use-action.tsx'
import { useOrder } from '../../shell/use-order.ts'
import { entityEdited } from '../../state/reducers/houses.ts'
import type { House, Room } from '../../state/state.ts'
import { change, currentState, store } from '../../state/store.ts'
import { st } from '../../texts/settings.ts'
import { t } from '../../texts/texts.ts'
import {
  openCreateCategory,
  openDeleteCategory,
  openDeleteRoom,
  openEditCategory,
  openRoom,
} from './room-dialogs.tsx'
import { RowButtons } from './row-buttons.tsx'
import { useSettledLists } from './settled-lists.ts'

const ofCategories = 'categories'

/** The rooms of a house by category: both in an order that changes by dragging, and by the buttons of each. */
export function RoomSettings({ house }: { house: House }) {
  const { act, notice } = useAction()
  const categories = roomsByCategory(house).filter(({ id, rooms }) => id !== 'none' || rooms.length > 0)
  const ordered = categories.filter(({ id }) => id !== 'none').map(({ id }) => id)
  const lists = categories.map(({ id, rooms }) => ({
    id,
    ids: rooms.map((room) => room.id),
    kind: 'room',
    // A room can leave a category only for another one.
    isClosed: id === 'none',
  }))
  const settled = useSettledLists([...lists, { id: ofCategories, ids: ordered }])
  const place = (placement: Placement) => {
    const { id, listId, ids } = placement
    const [at, of] = [ids.indexOf(id) + 1, ids.length]
    const nameOf = (entityId: string) => house.entities.find((each) => each.id === entityId)?.name ?? ''
    const edit = (entity_id: string, body: Input<'editEntity'>['body'], saying: string) =>
      act(async () => {
        const entity = await api.call('editEntity', { params: { id: house.id, entity_id }, body })
        settled.settle(placement)
        change(entityEdited(currentState(), entity))
      }, saying)
    if (listId === ofCategories) return edit(id, { position: at - 1 }, t().movedTo(nameOf(id), at, of))
    const resource_pointers = ids.map((resource_id) => ({ resource_type: 'room' as const, resource_id }))
    const saying = st().movedInto(store.rooms.value[id]?.name ?? '', at, of, nameOf(listId))
    return edit(listId, { resource_pointers }, saying)
  }
  const { area, step } = useOrder<HTMLElement>(settled.lists, place)
  return (
    <section ref={area}>
      <div class="row">
        <button type="button" class="primary" onClick={() => openRoom(house)}>
          {t().createRoom}
        </button>
        <button type="button" onClick={() => openCreateCategory(house)}>
          {st().createCategory}
        </button>
      </div>
      <p class="hint">{st().orderHint}</p>
      {notice}
      <div class="categories" data-list={ofCategories}>
        {categories.map(({ id, name, rooms }) => (
          <div key={id} class="category" data-item={name === undefined ? undefined : id}>
            <div class="person">
              <h2 class="cut">{name ?? st().withoutCategory}</h2>
              {name !== undefined && (
                <RowButtons
                  name={name}
                  up={step(id, -1)}
                  down={step(id, 1)}
                  edit={() => openEditCategory(house, id, name)}
                  remove={rooms.length === 0 ? () => openDeleteCategory(house, id, name) : undefined}
                />
              )}
            </div>
            <ul class="rows" data-list={id}>
              {rooms.map((room) => (
                <RoomRow key={room.id} house={house} room={room} step={step} />
              ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  )
}

type RoomRowProps = { house: House; room: Room; step: (id: string, by: 1 | -1) => (() => void) | undefined }

function RoomRow({ house, room, step }: RoomRowProps) {
  const isMine = mayInRoom(room, permission.MANAGE_ROOMS)
  return (
    <li class="person movable" data-item={isMine ? room.id : undefined}>
      <span class="cut"># {room.name}</span>
      {isMine && (
        <RowButtons
          name={room.name ?? ''}
          up={step(room.id, -1)}
          down={step(room.id, 1)}
          edit={() => openRoom(house, room)}
          remove={() => openDeleteRoom(room)}
        />
      )}
    </li>
  )
}
