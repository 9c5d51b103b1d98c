import { sql } from 'kysely'
import type { Db } from '../database/client.ts'
import { lockRoomOfMember } from '../rooms/queries.ts'

type SettingsRow = {
  user_id: string
  theme: 'dark' | null
  room_overrides: Record<string, { notification_preference: number }>
  onboarded: boolean
  enable_desktop_notifications: boolean | null
}

/** The settings of a user, with defaults for those that are not set. */
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

/** Sets the given settings of a user. Returns whether any changed. */
export async function upsertSettings(
  db: Db,
  userId: string,
  changes: { theme?: 'dark' | null; onboarded?: boolean; enable_desktop_notifications?: boolean | null },
): Promise<boolean> {
  const fields = Object.keys(changes) as (keyof typeof changes)[]
  if (fields.length === 0) return false
  const differs = sql.join(
    fields.map((field) => sql`settings.${sql.ref(field)} is distinct from excluded.${sql.ref(field)}`),
    sql` or `,
  )
  const row = await db
    .insertInto('settings')
    .values({ user_id: userId, ...changes })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(changes).where(sql<boolean>`(${differs})`),
    )
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Sets the notification preference of a user for a room. Returns whether it changed; undefined if the room is deleted,
 * or the user is leaving its house.
 */
export async function upsertRoomOverride(
  db: Db,
  override: { user_id: string; room_id: string; notification_preference: number },
): Promise<boolean | undefined> {
  const { user_id, room_id, notification_preference } = override
  const { rows } = await sql<{ has_changed: boolean }>`
    with ${lockRoomOfMember(user_id, room_id)}, changed as (
      insert into room_settings (user_id, room_id, notification_preference)
      select ${user_id}, id, ${notification_preference} from locked_room
      on conflict (user_id, room_id) do update set notification_preference = excluded.notification_preference
        where room_settings.notification_preference <> excluded.notification_preference
      returning room_id
    )
    select exists (select from changed) as has_changed from locked_room`.execute(db)
  return rows[0]?.has_changed
}
