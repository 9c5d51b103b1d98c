import { sql } from 'kysely'
import type { Db } from '../client.ts'
import { isInUse } from '../node-number.ts'

/** Drops the trigger that only running processes of the version before need, if no process is running. */
export async function dropUpgradeTriggers(db: Db): Promise<void> {
  const { rows } = await sql`
    select 1 from pg_trigger where tgrelid = 'room_heads'::regclass and tgname = 'room_heads_move_rooms'`.execute(
    db,
  )
  if (rows.length === 0 || (await isInUse(db))) return
  await sql`drop trigger if exists room_heads_move_rooms on room_heads`.execute(db)
}
