import type { Page } from 'playwright-core'
import type { Person } from '../../support/world.ts'

/** A screen of the client, and how to come to it. */
export type Screen = {
  name: string
  path: string
  as?: Person
  /** What is done once the page is there, up to the moment when it is the screen. */
  show: (page: Page) => Promise<unknown>
  mayFail?: RegExp
  /** What one finds unread there each time. */
  unread?: () => Promise<unknown>
}

type Role = 'button' | 'link' | 'heading' | 'textbox' | 'dialog' | 'option'

export const see = (role: Role, name: string | RegExp) => (page: Page) => get(page, role, name).waitFor()
export const seeText = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor()
export const get = (page: Page, role: Role, name: string | RegExp) =>
  page.getByRole(role, { name, exact: true }).first()
export const click = (page: Page, role: Role, name: string | RegExp) => get(page, role, name).click()
