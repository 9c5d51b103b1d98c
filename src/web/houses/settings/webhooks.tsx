import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Answer } from '../../../client/operations.ts'
import { permission } from '../../../houses/permissions.ts'
import { mayInRoom } from '../../rooms/permissions.ts'
import { roomsByCategory } from '../../rooms/rooms.ts'
import { api } from '../../session.ts'
import { ChoosePicture } from '../../shell/choose-picture.tsx'
import { openConfirmation } from '../../shell/confirmation.tsx'

import { closeDialog, openDialog } from '../../shell/dialog.tsx'
import { Field, Form } from '../../shell/form.tsx'
import { Picture } from '../../shell/picture.tsx'
import { openSecret } from '../../shell/secret.tsx'
import { useAction } from '../../shell/use-action.tsx'
import { useLoaded } from '../../shell/use-loaded.ts'
import type { House, Room } from '../../state/state.ts'
import { store } from '../../state/store.ts'
import { st } from '../../texts/settings.ts'
import { t } from '../../texts/texts.ts'

type Webhook = Answer<'listWebhooks'>[number]
type Address = { name: string; url: string }
type Values = Record<string, string>

/** The webhooks of a house. An address is shown once, when it is made. */
export function WebhookSettings({ house }: { house: House }) {
  const params = { id: house.id }
  const loaded = useLoaded(() => api.call('listWebhooks', { params }), [house.id])
  const { value: webhooks, failure, reload } = loaded

  const rooms = roomsWithWebhooks(house)
  const create = async ({ name = '', room_id = '' }: Values) => {
    showAddress(await api.call('createWebhook', { params, body: { name, room_id } }))
    await reload()
  }
  return (
    <>
      <section>
        <h2>{t().houseSections.webhooks}</h2>
        <p class="hint">{st().webhooksHint}</p>
        {failure !== '' && <p role="alert">{failure}</p>}

        {webhooks?.length === 0 && <p class="muted">{st().noWebhooks}</p>}
        <ul class="rows">
          {webhooks?.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} rooms={rooms} reload={reload} />
          ))}
        </ul>
      </section>
      {rooms.length > 0 && (
        <section>
          <h2>{st().createWebhook}</h2>
          <Form action={st().createWebhook} submit={create} clears>
            <Field label={st().webhookName} name="name" maxLength={64} autocomplete="off" />
            <RoomChoice rooms={rooms} />
          </Form>
        </section>
      )}
    </>
  )
}

function showAddress({ name, url }: Address): void {
  openSecret(st().webhookAddress(name), { label: st().address, value: url, hint: st().webhookAddressHint })
}

/** The rooms whose webhooks one manages. */
function roomsWithWebhooks(house: House): Room[] {
  const rooms = roomsByCategory(house).flatMap((category) => category.rooms)
  return rooms.filter((room) => mayInRoom(room, permission.MANAGE_INTEGRATIONS))
}

function RoomChoice({ rooms, value }: { rooms: Room[]; value?: string }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{st().room}</label>
      <select id={id} name="room_id">
        {rooms.map((room) => (
          <option key={room.id} value={room.id} selected={room.id === value}>
            {room.name}
          </option>
        ))}
      </select>
    </div>
  )
}

type WebhookProps = { webhook: Webhook; rooms: Room[]; reload: () => Promise<void> }

function WebhookRow(props: WebhookProps) {
  const { webhook, rooms, reload } = props
  const { id: webhook_id, house_id, room_id, name } = webhook
  const params = { id: house_id, webhook_id }
  const replace = async () => showAddress(await api.call('rotateWebhookToken', { params }))
  const remove = async () => {
    await api.call('deleteWebhook', { params })
    await reload()
  }
  return (
    <li class="person">
      <Picture of={webhook} kind="users" size="large" />
      <span class="cut grows">
        <bdi>{name}</bdi> <span class="muted"># {store.rooms.value[room_id]?.name}</span>
      </span>
      {rooms.some(({ id }) => id === room_id) && (
        <>
          <button
            type="button"
            aria-label={`${t().edit}: ${name}`}
            onClick={() => openDialog(st().editWebhook, <EditWebhook {...props} />)}
          >
            {t().edit}
          </button>
          <button
            type="button"
            aria-label={`${st().newAddress}: ${name}`}
            onClick={() => openConfirmation(st().newAddress, st().newAddressSure(name), replace)}
          >
            {st().newAddress}
          </button>
          <button
            type="button"
            aria-label={`${t().remove}: ${name}`}
            onClick={() => openConfirmation(st().deleteWebhook, st().deleteWebhookSure(name), remove)}
          >
            {t().remove}
          </button>
        </>
      )}
    </li>
  )
}

function EditWebhook({ webhook, rooms, reload }: WebhookProps) {
  const params = { id: webhook.house_id, webhook_id: webhook.id }
  const icon = useSignal(webhook.icon)
  const { act, notice } = useAction()
  const put = (next: string | null) =>
    act(async () => {
      icon.value = (await api.call('editWebhook', { params, body: { icon: next } })).icon
      await reload()
    })
  const submit = async ({ name = '', room_id = '' }: Values) => {
    await api.call('editWebhook', { params, body: { name, room_id } })
    closeDialog()
    await reload()
  }
  return (
    <>
      <ChoosePicture label={st().choosePicture} choose={put}>
        <Picture of={{ ...webhook, icon: icon.value }} kind="users" size="large" />
      </ChoosePicture>
      {icon.value !== null && (
        <button type="button" onClick={() => put(null)}>
          {st().removePicture}
        </button>
      )}
      {notice}
      <Form action={st().saveChanges} submit={submit}>
        <Field label={st().webhookName} name="name" value={webhook.name} maxLength={64} autocomplete="off" />
        <RoomChoice rooms={rooms} value={webhook.room_id} />
      </Form>
    </>
  )
}
