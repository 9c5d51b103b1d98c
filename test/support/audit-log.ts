import { call, db, type Person } from './world.ts'

/** The rows of a house, oldest first. */
export function auditRows(houseId: string) {
  return db.selectFrom('audit_log').selectAll().where('house_id', '=', houseId).orderBy('id').execute()
}

/** What the log of a house answers somebody. */
export async function readAuditLog(caller: Person, houseId: string, query = '') {
  return (await call(caller, 'GET', `/houses/${houseId}/audit-log${query}`)).body.data
}
