import type { Page } from 'playwright-core'
import { password } from '../../support/accounts.ts'
import type { Scene } from './scene.ts'
import { click, get, type Screen, see } from './screen.ts'

/** The settings of oneself and of a house, and the administration, section by section. */
export function settingsScreens({ ann, eve, ruler, den }: Scene): Screen[] {
  const own = ['', 'profile', 'account', 'two-factor', 'sessions', 'blocked', 'bots']
  const ofHouse = [
    ...[
      'overview',
      'rooms',
      'roles',
      'members',
      'bans',
      'invites',
      'overrides',
      'bots',
      'webhooks',
      'audit-log',
    ],
    'owner',
  ]
  return [
    ...own.map((section) => ({
      name: `settings${section && `-${section}`}`,
      as: ann,
      path: `/app/settings/${section}`,
      show: (page: Page) => page.waitForLoadState('networkidle'),
    })),
    {
      name: 'settings-two-factor-set-up',
      as: eve,
      path: '/app/settings/two-factor',
      show: async (page) => {
        await page.getByLabel('Password').fill(password)
        await click(page, 'button', 'Set up')
        await get(page, 'textbox', 'Secret key').waitFor()
      },
    },
    ...ofHouse.map((section) => ({
      name: `house-settings-${section}`,
      as: ann,
      path: `/app/houses/${den.id}/settings/${section}`,
      show: (page: Page) => page.waitForLoadState('networkidle'),
    })),
    ...['', 'users', 'houses', 'audit-log'].map((section) => ({
      name: `admin${section && `-${section}`}`,
      as: ruler,
      path: `/app/admin/${section}`,
      show: (page: Page) => page.waitForLoadState('networkidle'),
    })),
    {
      name: 'house-settings-role',
      as: ann,
      path: `/app/houses/${den.id}/settings/roles`,
      show: async (page) => {
        await click(page, 'button', 'Create a role')
        await see('dialog', 'Create a role')(page)
      },
    },
  ]
}
