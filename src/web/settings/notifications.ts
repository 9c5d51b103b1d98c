import { ApiError } from '../../client/errors.ts'
import { api } from '../session.ts'
import { store } from '../state/store.ts'

export type NotificationChoice = 'on' | 'off'

/** Whether this browser shows notifications. */
export function notificationChoice(): NotificationChoice {
  const isOff = store.settings.value?.enable_desktop_notifications === false
  return 'Notification' in globalThis && Notification.permission === 'granted' && !isOff ? 'on' : 'off'
}

/** Turns notifications on, if the person allows the browser to show some, or off. */
export async function chooseNotifications(next: NotificationChoice): Promise<void> {
  if (
    next === 'on' &&
    (!('Notification' in globalThis) || (await Notification.requestPermission()) !== 'granted')
  ) {
    return
  }
  const body = { enable_desktop_notifications: next === 'on' }
  await api.call('editSettings', { body }).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
}
