import type { ComponentType } from 'preact'
import { AuditLog } from './audit-log.tsx'
import { AdministeredHouses } from './houses.tsx'
import { ServerOverview } from './overview.tsx'
import { AdministeredUsers } from './users.tsx'

const pages: Record<string, ComponentType> = {
  '': ServerOverview,
  users: AdministeredUsers,
  houses: AdministeredHouses,
  'audit-log': AuditLog,
}

/** A page of the administration, by the name in its address. */
export function AdministrationSection({ section }: { section: string }) {
  const Section = pages[section]
  return Section ? <Section /> : null
}
