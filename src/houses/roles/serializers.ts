import type { RoleRow } from './queries.ts'
import type { Role } from './schemas.ts'

export function serializeRole(row: RoleRow): Role {
  return { ...row, level: row.position }
}
