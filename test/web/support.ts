import { inflateSync } from 'node:zlib'
import AxeBuilder from '@axe-core/playwright'
import { sql } from 'kysely'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, expect, inject } from 'vitest'
import { buildApp } from '../../src/app.ts'
import type { Config } from '../../src/config.ts'
import { newId } from '../../src/ids.ts'
import { launchBrowser } from '../support/browser.ts'
import { otherApp } from '../support/other-app.ts'
import { ownWorld } from '../support/own-world.ts'
import { bus, call, config, db, house, type Person, presences, store, user } from '../support/world.ts'
import { shiftDate, shiftMs } from './date.ts'

/** How long one waits for what comes, however busy the machine is. */
const patienceMs = 60_000

// One server and one browser for all files of a process, which end with it.
const app = await buildApp({ config: { ...config, publicUrl: undefined }, db, store, bus, presences })
/** Where the server answers. */
export let origin: string = await app.listen({ port: 0, host: '127.0.0.1' })
export const browser = await launchBrowser(inject('folder'))

/** Gives the file a world of its own, and a server there. */
export async function ownServer(): Promise<void> {
  const shared = origin
  await ownWorld()
  origin = await serverWith({})
  afterAll(() => {
    origin = shared
  })
}

/** Where a server with other settings answers, until the end of the file. */
export async function serverWith(changes: Partial<Config>): Promise<string> {
  const other = await otherApp({ publicUrl: undefined, ...changes })
  afterAll(async () => {
    await closePages()
    // A kept-alive connection whose last answer is just ending is waited for, more than a minute.
    other.app.server.closeAllConnections()
  })
  return other.app.listen({ port: 0, host: '127.0.0.1' })
}

/** What went wrong in pages: violations of the policy, exceptions, errors on the console. */
const mishaps: string[] = []
/** The pages that the test has opened. */
const opened: Page[] = []

/** Has each test of the file end with its pages closed, and fail where something went wrong in one. */
export function watchPages(): void {
  // Those of the whole file stay open.
  beforeEach(() => void opened.splice(0))
  afterEach(async ({ task }) => {
    const pages = opened.splice(0)
    if (task.result?.state === 'fail') await describePages(task.name, pages)
    const found = mishaps.splice(0)
    await Promise.all(pages.map(closePage))
    // What closing has cut off is no mishap.
    mishaps.splice(0)
    expect(found).toEqual([])
  })
  afterAll(closePages)
}

/** Closes the pages of the whole file as well. */
async function closePages(): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()))
  mishaps.splice(0)
}

async function closePage(page: Page): Promise<void> {
  if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().close()
}

/** Writes what the pages of a failed test show: it may not fail again. */
async function describePages(test: string, pages: readonly Page[]): Promise<void> {
  for (const page of pages) {
    const shown = await page.locator('body').ariaSnapshot().catch(String)
    const focus = await page.evaluate<string>('document.activeElement?.outerHTML.slice(0, 200)').catch(String)
    process.stdout.write(`${test}: ${page.url()}, with the focus on ${focus}\n${shown}\n`)
  }
}

type Options = BrowserContextOptions & {
  /** Logged in from the start. */
  as?: Person
  /** What may go wrong, as when the server is stopped. */
  mayFail?: RegExp
}

/** A page of somebody in a browser of their own. */
export async function openPage(path: string, options: Options = {}): Promise<Page> {
  const { as, mayFail, ...rest } = options
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Lisbon',
    viewport: { width: 1280, height: 800 },
    serviceWorkers: 'block',
    ...rest,
  })
  context.setDefaultTimeout(patienceMs)
  await context.addInitScript(shiftDate, shiftMs)
  if (as) {
    await context.addInitScript((token) => {
      if (sessionStorage.getItem('began') === null) localStorage.setItem('hearth.token', token)
      sessionStorage.setItem('began', 'yes')
    }, as.token)
  }
  const page = await context.newPage()
  opened.push(page)
  const note = (text: string, address = '') => {
    if (!mayFail?.test(text)) mishaps.push(`${text} ${address}`)
  }
  page.on('pageerror', (error) => note(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') note(message.text(), message.location().url)
  })
  await page.goto(new URL(path, origin).href)
  return page
}

/** Two people in one house with the room "general". */
export async function twoInHouse() {
  const ann = await user({ name: 'Ann' })
  const bob = await user({ name: 'Bob' })
  const den = await house({ owner: ann, members: [bob] })
  return { ann, bob, den, path: `/app/houses/${den.id}/rooms/${den.room_id}` }
}

/**
 * Two people in one house, in whose room "general" they have written so many messages, "line 1." and so on: some of one
 * line, some long, some of many lines. Both have read all.
 */
export async function roomOfMany(count: number) {
  const world = await twoInHouse()
  const { ann, bob, den } = world
  const ids = Array.from({ length: count }, () => newId())
  await sql`insert into messages (id, room_id, author_id, device_id, content)
    select id, ${den.room_id}::bigint,
      case when number / 5 % 3 = 0 then ${ann.id}::bigint else ${bob.id}::bigint end, ${bob.session_id},
      'line ' || number || '.' || case
        when number % 7 = 0 then repeat(' and more of it', (number % 40)::int)
        when number % 11 = 0 then repeat(E'\nnext', (number % 9)::int)
        when number % 13 = 0 then E'\n\`\`\`js\nconst a = 1\n\`\`\`'
        else '' end
    from unnest(${ids}::bigint[]) with ordinality as them (id, number)`.execute(db)
  const message_id = ids.at(-1)!
  await db
    .updateTable('room_heads')
    .set({ last_message_id: message_id })
    .where('room_id', '=', den.room_id)
    .execute()
  const read = [ann, bob].map(({ id }) => ({ user_id: id, room_id: den.room_id, message_id }))
  await db.insertInto('read_states').values(read).execute()
  return { ...world, ids }
}

/** Sends messages to a room, one after the other; gives their ids. */
export async function sendAll(by: Person, roomId: string, ...contents: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const content of contents) {
    ids.push((await call(by, 'POST', `/rooms/${roomId}/messages`, { content })).body.data.id)
  }
  return ids
}

/** Writes a message into the room "general". */
export async function write(page: Page, text: string): Promise<void> {
  // Under a dialog the field is shown, but takes nothing.
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
  const composer = page.getByRole('textbox', { name: 'Message general', exact: true })
  await composer.fill(text)
  await composer.press('Enter')
}

/** The messages of the room "general". */
export function logOf(page: Page) {
  return page.getByRole('log', { name: 'Messages in general' })
}

/** A message of the room "general", by its text. */
export function messageOf(page: Page, text: string) {
  return logOf(page).getByRole('article').filter({ hasText: text })
}

/** Waits until the server has a message that was written here. */
export async function sent(page: Page, text: string): Promise<void> {
  await messageOf(page, text).and(page.locator(':not([data-state])')).waitFor()
}

/** Waits until the messages of the room "general" have stayed where they are for some frames. */
export function settled(page: Page): Promise<void> {
  return logOf(page).evaluate(async (log) => {
    const { defaultView } = log.ownerDocument
    const look = () => {
      const articles = [...log.querySelectorAll('article')]
      return articles.map((each) => `${each.dataset.id} ${each.getBoundingClientRect().top}`).join()
    }
    let last = ''
    for (let same = 0; same < 5; ) {
      await new Promise((resolve) => defaultView!.requestAnimationFrame(resolve))
      const next = look()
      same = next === last ? same + 1 : 0
      last = next
    }
  })
}

/** Tells a page that there is a network again: it connects at once, where it would wait for up to half a minute. */
export async function comeOnline(page: Page): Promise<void> {
  await page.evaluate("dispatchEvent(new Event('online'))")
}

/** The JSON of a frame of the gateway. */
export function textOf(frame: string | Buffer): string {
  return typeof frame === 'string' ? frame : inflateSync(frame).toString()
}

/** Notes from now on what the page says for a moment only. Gives how to ask for all of it. */
export async function noteStatus(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(`
    window.said = ''
    new MutationObserver(() => {
      for (const each of document.querySelectorAll('[role=status]')) said += each.textContent + ' '
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  `)
  return () => page.evaluate<string>('said')
}

/** What axe has to say about a page in light colours, and about the colours of its dark ones. */
export async function expectAccessible(page: Page): Promise<void> {
  await expectAccessibleIn(page, 'light')
  await expectAccessibleIn(page, 'dark', ['color-contrast'])
}

/** The same in one theme, by all rules or by those that are named. */
export async function expectAccessibleIn(page: Page, colorScheme: 'light' | 'dark', rules?: string[]) {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  const axe = new AxeBuilder({ page })
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze()
  const found = violations.map(
    ({ id, nodes }) => `${colorScheme} ${id}: ${nodes.map((node) => node.html).join(' ')}`,
  )
  expect(found).toEqual([])
}
