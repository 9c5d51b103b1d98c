// Measures the web client in a browser whose processor is slowed.
import { mkdir } from 'node:fs/promises'
import { getPriority, loadavg } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { startPostgres } from '../../../src/database/embedded/embedded.ts'
import { launchBrowser } from '../../../test/support/browser.ts'
import { startServer } from '../../../test/support/server.ts'
import { buildWebClient } from '../../../test/support/web-build.ts'
import { interruptPostgres } from '../../interrupt-postgres.ts'
import { median, percentile } from '../../percentile.ts'
import { copyDatabase, prepareDatabase } from '../databases.ts'
import { readProcessorTime } from '../processes.ts'
import { smallSize } from '../seed.ts'
import { bareList } from './bare-list.ts'
import { fillLongRoom, longRoom, reader, roomPath } from './house.ts'
import * as measures from './measures.ts'
import { type Round, rowsOf, slowdown, switchCount, writeWebReport } from './report.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 2 : 5
const counts = quick
  ? { keys: 30, sends: 5, turnsOfRooms: 2, wheelTurns: 60 }
  : { keys: 100, sends: 20, turnsOfRooms: 5, wheelTurns: 200 }
/** After so many the browser has compiled what it will. */
const warmUpSwitches = 500
const rooms = smallSize.roomsPerHouse
const root = join(import.meta.dirname, '../../..')
const cache = join(root, '.cache', 'bench')
const postgresFolder = join(cache, 'postgres')

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
process.once('exit', () => interruptPostgres(postgresFolder))

const startedAt = new Date().toISOString()
const [timeBefore, [loadBefore = 0]] = [await readProcessorTime(), loadavg()]
await mkdir(cache, { recursive: true })
await buildWebClient()
const postgres = await startPostgres(postgresFolder)
const databaseUrl = await copyDatabase(postgres.adminUrl, await prepareDatabase(postgres.adminUrl, smallSize))
await fillLongRoom(databaseUrl)
const environment = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' }
const server = await startServer(join(cache, 'data'), { environment })
server.child.stderr!.pipe(process.stderr)
const browser = await launchBrowser(cache)

try {
  const measured: Round[] = []
  for (let round = 0; round < rounds; round += 1) {
    measured.push(await measureRound(browser))
    console.log(JSON.stringify(measured.at(-1)))
  }
  const heap = await measureHeap(browser)
  const timeAfter = await readProcessorTime()
  const report = {
    startedAt,
    quick,
    stolen: (timeAfter.stolen - timeBefore.stolen) / (timeAfter.all - timeBefore.all),
    load: [loadBefore, loadavg()[0] ?? 0] as [number, number],
    priority: getPriority(),
    browser: `Chromium ${browser.version()}`,
    rounds: measured,
    heap,
  }
  await writeWebReport(join(root, 'docs'), report)
  for (const row of rowsOf(report)) {
    console.log(`${row.title}: ${row.value.toFixed(2)}${row.unit} (target ${row.target})`)
  }
} finally {
  await browser.close()
  await server.end()
  await postgres.stop()
}

/** A page of the reader in a browser that knows nothing yet. */
async function openPage(browser: Browser, rate: number): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } })
  const logIn = `if (location.protocol === 'http:') localStorage.setItem('hearth.token', '${reader.token}')`
  await context.addInitScript({ content: logIn })
  await context.addInitScript({ path: join(import.meta.dirname, 'page.js') })
  const page = await context.newPage()
  page.on('pageerror', (error) => console.error(error))
  const protocol = await context.newCDPSession(page)
  await protocol.send('Emulation.setCPUThrottlingRate', { rate })
  return page
}

/** Everything that has a time, once, in a page of its own. */
async function measureRound(browser: Browser): Promise<Round> {
  const page = await openPage(browser, slowdown)
  const firstLoad = await measures.measureFirstLoad(page, server.origin + roomPath(0))
  const keys = await measures.measureKeys(page, counts.keys)
  const sends = await measures.measureSends(page, counts.sends)
  const switches = await measures.measureSwitches(page, [1, 2, 3, 0].map(roomPath), counts.turnsOfRooms)
  const { frames, mostRows } = await measures.measureScroll(page, '[role=log]', counts.wheelTurns)
  await page.context().close()
  const bare = await openPage(browser, slowdown)
  await bare.setContent(bareList(longRoom))
  const bareFrames = await measures.measureScroll(bare, '#list', counts.wheelTurns)
  await bare.context().close()
  return {
    ...firstLoad,
    keyMs: percentile(keys, 0.95),
    sendMs: median(sends),
    switchMs: median(switches),
    frameMs: percentile(frames, 0.95),
    bareFrameMs: percentile(bareFrames.frames, 0.95),
    mostRows,
  }
}

/** What a page uses once its scripts are compiled, and after many more switches, in MB. */
async function measureHeap(browser: Browser): Promise<{ beforeMb: number; afterMb: number }> {
  const page = await openPage(browser, 1)
  await page.goto(server.origin + roomPath(0))
  await page.evaluate('bench.usable')
  await measures.switchRooms(page, rooms, warmUpSwitches)
  const beforeMb = await measures.readHeap(page)
  await measures.switchRooms(page, rooms, switchCount)
  const afterMb = await measures.readHeap(page)
  await page.context().close()
  return { beforeMb, afterMb }
}
