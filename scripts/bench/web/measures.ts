import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { roomPath } from './house.ts'

const built = join(import.meta.dirname, '../../../dist/web')
/** After each act, for what it leaves to be done. */
const restMs = 300

export type FirstLoad = { usableMs: number; requests: number; scriptKb: number; styleKb: number }

/** A visit with an empty cache: the time until it is usable, all requests until there are no more, and their files in kB of gzip. */
export async function measureFirstLoad(page: Page, address: string): Promise<FirstLoad> {
  const paths: string[] = []
  page.on('request', (request) => paths.push(new URL(request.url()).pathname))
  page.on('websocket', (socket) => paths.push(new URL(socket.url()).pathname))
  await page.goto(address)
  const usableMs = await page.evaluate<number>('bench.usable')
  await page.waitForLoadState('networkidle')
  const sizeOf = async (ending: string) => {
    const files = paths.filter((path) => path.endsWith(ending)).map((path) => path.slice('/app/'.length))
    const contents = await Promise.all(files.map((file) => readFile(join(built, `${file}.gz`))))
    return contents.reduce((sum, { length }) => sum + length, 0) / 1_000
  }
  return { usableMs, requests: paths.length, scriptKb: await sizeOf('.js'), styleKb: await sizeOf('.css') }
}

/** Lets the page wait for something, does it, and gives the time that the page says it took. */
async function timeOf(page: Page, wait: string, act: () => Promise<void>): Promise<number> {
  // An event may overtake a script that is sent before it.
  await page.evaluate(`globalThis.waited = ${wait}; 0`)
  await act()
  return page.evaluate<number>('waited')
}

/** From each key in the composer to the next frame, in ms. */
export async function measureKeys(page: Page, count: number): Promise<number[]> {
  const field = page.locator('form textarea')
  await field.focus()
  const times: number[] = []
  for (let n = 0; n < count; n += 1) {
    const press = () => page.keyboard.press('what is written'.charAt(n % 15))
    times.push(await timeOf(page, 'bench.nextKey()', press))
    // At any moment of a frame.
    await pause(30 + ((n * 7) % 17))
  }
  await field.fill('')
  return times
}

/** From Enter to the frame with one's own message, in ms. */
export async function measureSends(page: Page, count: number): Promise<number[]> {
  const field = page.locator('form textarea')
  const times: number[] = []
  for (let n = 0; n < count; n += 1) {
    const text = `The kettle is on, ${Date.now()}`
    await field.fill(text)
    times.push(await timeOf(page, `bench.nextSend(${JSON.stringify(text)})`, () => field.press('Enter')))
    await pause(restMs)
  }
  return times
}

/** From a click on a room that was open before to the frame with its newest message, in ms; the rooms so many times in turn. */
export async function measureSwitches(page: Page, paths: string[], turns: number): Promise<number[]> {
  const rooms: { path: string; newest: string }[] = []
  for (const path of paths) {
    const before = rooms.at(-1)?.newest ?? (await page.evaluate<string>('bench.newestBut()'))
    await page.locator(`.rooms a[href="${path}"]`).click()
    rooms.push({ path, newest: await page.evaluate<string>(`bench.newestBut(${JSON.stringify(before)})`) })
  }
  const times: number[] = []
  for (const { path, newest } of Array.from({ length: turns }, () => rooms).flat()) {
    await pause(restMs)
    const click = () => page.locator(`.rooms a[href="${path}"]`).click()
    times.push(await timeOf(page, `bench.nextSwitch(${JSON.stringify(newest)})`, click))
  }
  return times
}

export type Scroll = { frames: number[]; mostRows: number }

/** Turns the wheel over a list so many times: the times between frames in ms, and the most articles in it. */
export async function measureScroll(page: Page, selector: string, turns: number): Promise<Scroll> {
  await page.locator(selector).hover()
  await page.evaluate(`globalThis.scrolling = bench.watchScroll(document.querySelector('${selector}')); 0`)
  for (let turn = 0; turn < turns; turn += 1) await page.mouse.wheel(0, -200)
  return page.evaluate<Scroll>('scrolling.end()')
}

/** Opens rooms of the house in turn, so many times. */
export async function switchRooms(page: Page, rooms: number, count: number): Promise<void> {
  const paths = Array.from({ length: rooms }, (_, n) => roomPath(n))
  await page.evaluate(`bench.switchRooms(${JSON.stringify(paths)}, ${count})`)
}

/** What the scripts of the page use, in MB, once all else has been collected. */
export async function readHeap(page: Page): Promise<number> {
  const protocol = await page.context().newCDPSession(page)
  await protocol.send('HeapProfiler.collectGarbage')
  const { usedSize } = await protocol.send('Runtime.getHeapUsage')
  await protocol.detach()
  return usedSize / 1_000_000
}
