import type { ComponentType } from 'preact'
import { AccountSettings } from './account.tsx'
import { BlockedSettings } from './blocked.tsx'
import { BotSettings } from './bots.tsx'
import { ProfileSettings } from './profile.tsx'
import { SessionSettings } from './sessions.tsx'
import { TwoFactorSettings } from './two-factor.tsx'

const pages: Record<string, ComponentType> = {
  profile: ProfileSettings,
  account: AccountSettings,
  'two-factor': TwoFactorSettings,
  sessions: SessionSettings,
  blocked: BlockedSettings,
  bots: BotSettings,
}

/** A page of one's own settings, by the name in its address. */
export function SettingsSection({ section }: { section: string }) {
  const Section = pages[section]
  return Section ? <Section /> : null
}
