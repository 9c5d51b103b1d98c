import { sql } from 'kysely'
import type { Db } from '../db/client.ts'

/** Notes a picture of a house as a file to forget. */
export async function discardIcon(db: Db, houseId: string, file: string): Promise<void> {
  await sql`
    insert into discarded_files (name) values (${iconPath(houseId, file)}) on conflict do nothing`.execute(db)
}

/** Takes back that a picture is to be forgotten; waits while it is being forgotten. */
export async function keepIcon(db: Db, houseId: string, file: string): Promise<void> {
  await sql`delete from discarded_files where name = ${iconPath(houseId, file)}`.execute(db)
}

/** Where a picture of a house lies in the store. */
export function iconPath(houseId: string, file: string): string {
  return `houses/${houseId}/icons/${file}`
}
