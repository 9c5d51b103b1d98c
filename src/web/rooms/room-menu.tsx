import type { ComponentChildren } from 'preact'
import { go } from '../router.ts'
import { api } from '../session.ts'
import { openConfirmation } from '../shell/confirmation.tsx'
import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { Field, Form } from '../shell/form.tsx'
import { Icon } from '../shell/icon.tsx'
import { Menu, MenuItem } from '../shell/menu.tsx'
import { Picture } from '../shell/picture.tsx'
import type { Room, User } from '../state/state.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { closeRoom } from './closed-rooms.ts'
import { FriendChoice, listFriends, readFriends } from './friend-choice.tsx'
import { openRoomNotifications } from './room-notifications.tsx'
import { isGroup, othersIn, roomName } from './rooms.ts'

/** What one can do about a room, after what else is in the menu. */
export function RoomMenu({ room, children }: { room: Room; children?: ComponentChildren }) {
  return (
    <Menu label={t().menuOf(roomName(room))} button={<Icon name="down" />}>
      {children}
      <MenuItem action={() => openRoomNotifications(room)}>{t().roomNotifications}</MenuItem>
      {isGroup(room) && (
        <>
          <MenuItem action={() => openEditGroup(room)}>{t().editGroup}</MenuItem>
          <MenuItem action={() => openGroupPeople(room.id)}>{t().groupMembers}</MenuItem>
          <MenuItem action={() => openLeaveGroup(room)}>{t().leaveGroup}</MenuItem>
        </>
      )}
      {room.house_id === null && !isGroup(room) && (
        <MenuItem
          action={() => {
            closeRoom(room)
            go({ name: 'privateRooms' })
          }}
        >
          {t().closeRoom}
        </MenuItem>
      )}
    </Menu>
  )
}

function openEditGroup({ id, name, emoji }: Room): void {
  const submit = async (values: Record<string, string>) => {
    const [nextName, nextEmoji] = [values.name?.trim(), values.emoji?.trim()]
    await api.call('editRoom', { params: { id }, body: { name: nextName || null, emoji: nextEmoji || null } })
    closeDialog()
  }
  openDialog(
    t().editGroup,
    <Form action={t().save} submit={submit}>
      <Field label={t().groupName} name="name" value={name ?? ''} maxLength={64} isFocused isOptional />
      <Field label={t().groupEmoji} name="emoji" value={emoji?.data ?? ''} maxLength={16} isOptional />
    </Form>,
  )
}

function openLeaveGroup(room: Room): void {
  openConfirmation(t().leaveGroup, t().leaveGroupSure(roomName(room)), async () => {
    await api.call('leaveGroup', { params: { id: room.id } })
    go({ name: 'privateRooms' })
  })
}

/** Shows who is in a group, and what was done there. */
function openGroupPeople(roomId: string, done = ''): void {
  openDialog(t().groupMembers, <GroupPeople roomId={roomId} done={done} />)
}

/** Who is in a group, whom its owner can remove, and which friends can be added. */
function GroupPeople({ roomId, done }: { roomId: string; done: string }) {
  const room = store.rooms.value[roomId]
  const me = store.me.value
  if (!room || !me) return <p>{t().roomGone}</p>
  const others = othersIn(room)
  const friends = listFriends(others)
  const add = async (values: Record<string, string>) => {
    for (const user_id of readFriends(values)) {
      await api.call('addRecipient', { params: { id: roomId, user_id } })
    }
  }
  const remove = (user: User) =>
    openConfirmation(t().removePerson, t().removePersonSure(user.name), async () => {
      await api.call('removeRecipient', { params: { id: roomId, user_id: user.id } })
      openGroupPeople(roomId, t().removed(user.name))
    })
  return (
    <div class="group-people">
      <p role="status">{done}</p>
      <ul class="rows" aria-label={t().groupMembers}>
        {[me, ...others].map((user) => (
          <li key={user.id} class="person">
            <Picture of={user} kind="users" />
            <span class="cut">
              <bdi>{user.name}</bdi> <span class="muted">@{user.username}</span>
              {user.id === room.owner_id && <span class="hint"> {t().owner}</span>}
            </span>
            {room.owner_id === me.id && user.id !== me.id && (
              <button
                type="button"
                aria-label={`${t().removePerson}: ${user.name}`}
                onClick={() => remove(user)}
              >
                {t().removePerson}
              </button>
            )}
          </li>
        ))}
      </ul>
      {friends.length === 0 ? (
        <p class="muted">{t().noFriendsToAdd}</p>
      ) : (
        <Form key={others.length} action={t().addPeople} submit={add}>
          <FriendChoice label={t().friends} of={friends} />
        </Form>
      )}
    </div>
  )
}
