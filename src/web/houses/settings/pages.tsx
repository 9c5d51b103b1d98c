import type { ComponentType } from 'preact'
import type { House } from '../../state/state.ts'
import type { HouseSection } from '../house-sections.ts'
import { AuditLogPage } from './audit-log.tsx'
import { BanSettings } from './bans.tsx'
import { HouseBotSettings } from './bots.tsx'
import { InviteSettings } from './invites.tsx'
import { MemberSettings } from './members.tsx'
import { OverrideSettings } from './overrides.tsx'
import { OverviewSettings } from './overview.tsx'
import { OwnerSettings } from './owner.tsx'
import { RoleSettings } from './roles.tsx'
import { RoomSettings } from './rooms.tsx'
import { WebhookSettings } from './webhooks.tsx'

const pages: Record<HouseSection, ComponentType<{ house: House }>> = {
  overview: OverviewSettings,
  rooms: RoomSettings,
  roles: RoleSettings,
  members: MemberSettings,
  bans: BanSettings,
  invites: InviteSettings,
  overrides: OverrideSettings,
  bots: HouseBotSettings,
  webhooks: WebhookSettings,
  'audit-log': AuditLogPage,
  owner: OwnerSettings,
}

/** A page of the settings of a house, by the name in its address. */
export function HouseSettingsSection({ house, section }: { house: House; section: HouseSection }) {
  const Section = pages[section]
  return <Section house={house} />
}
