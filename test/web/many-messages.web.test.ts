import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { call, db, houseRoom } from '../support/world.ts'
import { browser, logOf, messageOf, openPage, roomOfMany, settled } from './support.ts'

/** So many messages may be in the page at a time. */
const mostRows = 120

type Walk = {
  /** How far the message in the middle moved when more came, in px. */
  moved: number
  mostRows: number
  seen: string[]
  /** Neighbours in the page that are none in the room. */
  gaps: string[]
}

/** Scrolls by windows to the top or the bottom of what is loaded, again and again until a message is there. */
function walk(page: Page, edge: 'top' | 'bottom', last: string, ids: string[]): Promise<Walk> {
  return logOf(page).evaluate(
    async (log, { edge, last, ids }) => {
      const walk = { moved: 0, mostRows: 0, gaps: [] as string[] }
      const seen = new Set<string>()
      const places = new Map(ids.map((id, index) => [id, index]))
      const page = log.ownerDocument
      const idOf = (element: typeof log | null) => element?.closest('article')?.dataset.id ?? ''
      const look = () => {
        const present = [...log.querySelectorAll('article')].map(idOf)
        walk.mostRows = Math.max(walk.mostRows, present.length)
        for (const [index, id] of present.entries()) {
          seen.add(id)
          const before = present[index - 1]
          if (before && places.get(id) !== places.get(before)! + 1) walk.gaps.push(`${before} ${id}`)
        }
      }
      const nextFrame = async () => {
        await new Promise((resolve) => page.defaultView!.requestAnimationFrame(resolve))
        look()
      }
      const topOf = (id: string) => log.querySelector(`[data-id="${id}"]`)?.getBoundingClientRect().top
      const { left, top, height } = log.getBoundingClientRect()
      const isNear = (px: number) =>
        edge === 'top' ? log.scrollTop < px : log.scrollHeight - log.scrollTop - log.clientHeight < px
      while (!seen.has(last)) {
        do {
          log.scrollTop += edge === 'top' ? -height : height
          await nextFrame()
        } while (!isNear(1))
        await nextFrame()
        const id = idOf(page.elementFromPoint(left + 100, top + height / 2))
        const before = topOf(id)
        if (before === undefined) continue
        while (!seen.has(last) && isNear(500)) await nextFrame()
        await nextFrame()
        walk.moved = Math.max(walk.moved, Math.abs((topOf(id) ?? Number.NaN) - before))
      }
      return { ...walk, seen: [...seen] }
    },
    { edge, last, ids },
  )
}

test('among 10,000 messages, few are in the page, and nothing moves from a link to the first and back', async () => {
  const { ann, path, ids } = await roomOfMany(10_000)
  const page = await openPage(`${path}?message=${ids[2499]}`, { as: ann })
  await messageOf(page, 'line 2500.').waitFor()
  const up = await walk(page, 'top', ids[0]!, ids)
  await page.getByText('This is where general begins.').waitFor()
  const down = await walk(page, 'bottom', ids[2999]!, ids)
  for (const { moved, mostRows: most, gaps } of [up, down]) {
    expect(moved).toBeLessThan(1.5)
    expect(most).toBeLessThanOrEqual(mostRows)
    expect(gaps).toEqual([])
  }
  const seen = new Set([...up.seen, ...down.seen])
  expect(ids.slice(0, 3000).filter((id) => !seen.has(id))).toEqual([])

  await page.getByRole('button', { name: 'Jump to present' }).click()
  await messageOf(page, 'line 10000.').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Jump to present' }).count()).toBe(0)
}, 240_000)

type Trace = {
  traceEvents: { name: string; args: { beginData?: { stackTrace?: { functionName: string }[] } } }[]
}

test('no script has the page laid out while one scrolls', async () => {
  const { ann, path } = await roomOfMany(400)
  const page = await openPage(path, { as: ann })
  await messageOf(page, 'line 400.').waitFor()
  await settled(page)
  await logOf(page).hover()
  // A scroll that has begun: the first step is still measured at once.
  await page.mouse.wheel(0, -10)
  await page.evaluate(nextFrames)
  const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline.stack']
  await browser.startTracing(page, { categories })
  for (let turn = 0; turn < 40; turn += 1) {
    await page.mouse.wheel(0, -150)
    await page.evaluate(nextFrames)
  }
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as Trace
  const layouts = traceEvents.filter(({ name }) => name === 'Layout')
  expect(layouts.length).toBeGreaterThan(40)
  const forced = layouts.flatMap(({ args }) => args.beginData?.stackTrace?.[0]?.functionName ?? [])
  expect(forced.length).toBeLessThan(5)
})

const nextFrames = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

test('a room opens where one left off, however much is new', async () => {
  const { ann, den, path, ids } = await roomOfMany(400)
  await db
    .updateTable('read_states')
    .set({ message_id: ids[99]! })
    .where('user_id', '=', ann.id)
    .where('room_id', '=', den.room_id)
    .execute()
  const page = await openPage(path, { as: ann })
  const mark = logOf(page).getByText('new', { exact: true })
  await mark.waitFor()
  await settled(page)
  const inSight = await placesOf(page)
  expect(inSight.map(({ id }) => id)).toEqual(expect.arrayContaining([ids[99], ids[100]]))
  const [read, line, fresh] = [messageOf(page, 'line 100.'), mark, messageOf(page, 'line 101.')]
  const tops = await Promise.all([read, line, fresh].map(async (each) => (await each.boundingBox())!.y))
  expect(tops).toEqual(tops.toSorted((a, b) => a - b))
  await page.getByRole('button', { name: 'Jump to present' }).click()
  await messageOf(page, 'line 400.').waitFor()
})

test('a room is as one left it, whatever came meanwhile', async () => {
  const { ann, bob, den, path, ids } = await roomOfMany(400)
  await houseRoom(den, { name: 'random' })
  const page = await openPage(`${path}?message=${ids[199]}`, { as: ann })
  const rooms = page.getByRole('navigation', { name: 'Rooms' })
  await messageOf(page, 'line 200.').waitFor()
  await logOf(page).evaluate((log) => log.scrollBy(0, -2500))
  await settled(page)
  const before = await placesOf(page)
  await rooms.getByRole('link', { name: /random/ }).click()
  await page.getByText('Nobody has written here yet.').waitFor()
  await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'meanwhile' })
  await rooms.getByRole('link', { name: /^general ,/ }).waitFor()
  await rooms.getByRole('link', { name: /general/ }).click()
  await expect.poll(async () => distance(await placesOf(page), before)).toBeLessThanOrEqual(1)
})

type Places = { id: string | undefined; top: number }[]

/** Where the messages in sight are. */
function placesOf(page: Page): Promise<Places> {
  return logOf(page).evaluate((log) => {
    const { top, bottom } = log.getBoundingClientRect()
    const articles = [...log.querySelectorAll('article')].filter((each) => {
      const box = each.getBoundingClientRect()
      return box.bottom > top && box.top < bottom
    })
    return articles.map((each) => ({ id: each.dataset.id, top: each.getBoundingClientRect().top }))
  })
}

/** How far the messages are from where they were, in px; infinite if others are in sight. */
function distance(before: Places, after: Places): number {
  const isSame = before.map(({ id }) => id).join() === after.map(({ id }) => id).join()
  return isSame
    ? Math.max(...before.map(({ top }, n) => Math.abs(top - after[n]!.top)))
    : Number.POSITIVE_INFINITY
}
