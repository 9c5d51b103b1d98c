import { sql } from 'kysely'
import type { Db } from '../db/client.ts'

export type SettingsRow = {
  user_id: string
  theme: 'dark' | null
  room_overrides: Record<string, { notification_preference: number }>
  onboarded: boolean
  enable_desktop_notifications: boolean | null
}

/** The settings of a user, with what holds while nothing is set. */
export async function findSettings(db: Db, userId: string): Promise<SettingsRow> {
  const { rows } = await sql<SettingsRow>`
    select wanted.user_id, settings.theme, coalesce(settings.onboarded, false) as onboarded,
      settings.enable_desktop_notifications, coalesce((
        select json_object_agg(room_id::text, json_build_object('notification_preference', notification_preference))
        from room_settings where room_settings.user_id = wanted.user_id), '{}') as room_overrides
    from (select ${userId}::bigint as user_id) as wanted
    left join settings on settings.user_id = wanted.user_id`.execute(db)
  return rows[0]!
}
