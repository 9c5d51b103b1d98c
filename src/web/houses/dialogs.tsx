import { go } from '../router.ts'
import { api } from '../session.ts'
import { openConfirmation } from '../shell/confirmation.tsx'
import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { Field, Form } from '../shell/form.tsx'
import { lazy } from '../shell/lazy.tsx'
import type { House } from '../state/state.ts'
import { t } from '../texts/texts.ts'
import { acceptInvite, inviteCodeIn, joiningErrors } from './invites.ts'

export function openCreateHouse(): void {
  const submit = async ({ name = '' }: Record<string, string>) => {
    const { id, rooms } = await api.call('createHouse', { body: { name } })
    closeDialog()
    const [room] = rooms
    go(room ? { name: 'room', houseId: id, roomId: room.id } : { name: 'house', houseId: id })
  }
  openDialog(
    t().createHouse,
    <Form action={t().create} submit={submit}>
      <Field label={t().houseName} name="name" autocomplete="off" isFocused maxLength={100} />
    </Form>,
  )
}

export function openJoinHouse(): void {
  const submit = async ({ invite = '' }: Record<string, string>) => {
    await acceptInvite(inviteCodeIn(invite))
    closeDialog()
  }
  openDialog(
    t().joinHouse,
    <Form action={t().join} submit={submit} errors={joiningErrors()}>
      <Field label={t().inviteLinkOrCode} name="invite" autocomplete="off" isFocused />
    </Form>,
  )
}

export function openCreateRoom(houseId: string): void {
  const submit = async ({ name = '' }: Record<string, string>) => {
    const room = await api.call('createHouseRoom', { params: { id: houseId }, body: { name } })
    closeDialog()
    go({ name: 'room', houseId, roomId: room.id })
  }
  openDialog(
    t().createRoom,
    <Form action={t().create} submit={submit}>
      <Field label={t().roomName} name="name" autocomplete="off" isFocused maxLength={64} />
    </Form>,
  )
}

export function openLeaveHouse({ id, name }: House): void {
  openConfirmation(t().leaveHouse, t().leaveHouseSure(name), async () => {
    await api.call('leaveHouse', { params: { id } })
    go({ name: 'privateRooms' })
  })
}

/** `created` is called after an invite was created. */
export function openInvitePeople(houseId: string, created?: () => void): void {
  openDialog(t().invitePeople, <InviteLink houseId={houseId} created={created} />)
}

const InviteLink = lazy(() => import('./invite-link.tsx').then(({ InviteLink: Link }) => Link))
