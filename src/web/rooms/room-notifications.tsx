import { useId } from 'preact/hooks'
import { api } from '../session.ts'
import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { Form } from '../shell/form.tsx'
import type { Room } from '../state/state.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { preferenceIn } from './notification-preference.ts'

/** Asks which messages of a room to notify; one that is muted shows no marks either. */
export function openRoomNotifications(room: Room): void {
  openDialog(t().roomNotifications, <RoomNotifications room={room} />)
}

function RoomNotifications({ room }: { room: Room }) {
  const id = useId()
  const chosen = preferenceIn(store.settings.value, room)
  const submit = async ({ preference = '' }: Record<string, string>) => {
    const notification_preference = Number(preference) as 0 | 1 | 2
    await api.call('setRoomOverride', { params: { room_id: room.id }, body: { notification_preference } })
    closeDialog()
  }
  return (
    <Form action={t().save} submit={submit}>
      <div class="field">
        <label for={id}>{t().tellMeOf}</label>
        <select id={id} name="preference">
          {t().preferences.map((text, value) => (
            <option key={text} value={value} selected={value === chosen}>
              {text}
            </option>
          ))}
        </select>
      </div>
    </Form>
  )
}
