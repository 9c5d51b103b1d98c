import type { Page } from 'playwright-core'
import { password } from '../../support/accounts.ts'
import type { Scene } from './scene.ts'
import { click, type Screen, see, seeText } from './screen.ts'

/** What one sees before there is a house. */
export function accountScreens({ eve, locked, invite }: Scene): Screen[] {
  const logIn = async (page: Page, login: string, typed: string) => {
    await page.getByLabel('E-mail or username').fill(login)
    await page.getByLabel('Password').fill(typed)
    await click(page, 'button', 'Log in')
  }
  return [
    { name: 'log-in', path: '/app/log-in', show: see('button', 'Log in') },
    {
      name: 'log-in-refused',
      path: '/app/log-in',
      mayFail: /status of 400/,
      show: async (page) => {
        await logIn(page, 'ann', 'wrong horse')
        await page.getByRole('alert').waitFor()
      },
    },
    {
      name: 'log-in-two-factor',
      path: '/app/log-in',
      mayFail: /status of 400/,
      show: async (page) => {
        await logIn(page, locked.email, password)
        await page.getByLabel('Two-factor code').waitFor()
      },
    },
    { name: 'create-account', path: '/app/create-account', show: see('button', 'Create account') },
    { name: 'forgotten-password', path: '/app/forgotten-password', show: see('link', 'I have a code') },
    { name: 'new-password', path: '/app/new-password', show: see('button', 'Set password') },
    { name: 'confirm-email', path: '/app/confirm-email', show: see('button', 'Confirm') },
    { name: 'invite', path: `/app/invite/${invite}`, show: seeText('6 members') },
    { name: 'invite-logged-in', path: `/app/invite/${invite}`, as: eve, show: seeText('6 members') },
    {
      name: 'invite-gone',
      path: '/app/invite/nothing',
      mayFail: /status of 404/,
      show: seeText('There is no such invite'),
    },
    { name: 'welcome', path: '/app/', as: eve, show: see('heading', `Welcome, ${eve.username}`) },
    { name: 'friends-none', path: '/app/friends', as: eve, show: seeText('You have no friends here yet.') },
    { name: 'mentions-none', path: '/app/mentions', as: eve, show: seeText('No mentions.') },
    { name: 'nowhere', path: '/app/nowhere', as: eve, show: seeText('There is no page at this address.') },
  ]
}
