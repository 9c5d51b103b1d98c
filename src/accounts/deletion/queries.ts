import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

/** Locks an account and its bots, except deleted ones, and returns them in id order. */
export function lockAccountWithBots(db: Db, id: string) {
  return db
    .selectFrom('users')
    .select(['id', 'icon', 'header'])
    .where((eb) => eb.or([eb('id', '=', id), eb('owner_id', '=', id)]))
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** Deletes what only the user could see: codes, mails that wait, backup codes, settings, read states, mentions, what was pushed. */
export async function deleteBelongings(db: Db, userId: string): Promise<void> {
  await sql`
    with codes as (delete from account_codes where user_id = ${userId}),
      waiting_mails as (delete from mails where user_id = ${userId}),
      backups as (delete from backup_codes where user_id = ${userId}),
      identities as (delete from oidc_identities where user_id = ${userId}),
      own_settings as (delete from settings where user_id = ${userId}),
      own_room_settings as (delete from room_settings where user_id = ${userId}),
      pushed as (delete from pushed_rooms where user_id = ${userId})
    delete from read_states where user_id = ${userId}`.execute(db)
  await db.deleteFrom('mentions').where('user_id', '=', userId).execute()
}

/** Anonymizes an account: its messages keep an author, its address and username become free (docs/resources.md#users). */
export async function anonymizeAccount(db: Db, id: string): Promise<void> {
  await db
    .updateTable('users')
    .set({
      username: `deleted-${id}`,
      name: 'Deleted user',
      icon: null,
      header: null,
      location: '',
      website: '',
      bio: '',
      public: false,
      email: null,
      email_verified: false,
      password_hash: null,
      mfa_enabled: false,
      totp_secret: null,
      totp_last_step: null,
      totp_earlier_steps: [],
      disabled: false,
      admin: false,
      deleted_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute()
}
