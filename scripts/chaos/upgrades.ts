import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDatabase } from '../../src/database/client.ts'
import { listMigrations, migrateToLatest, migrator } from '../../src/database/migrations/migrate.ts'
import { databaseOn } from '../../test/support/database-server.ts'
import { BrokenPromise, type Part } from './part.ts'
import { grown } from './support/own-delay.ts'
import { ask } from './support/people.ts'
import { openStage, type Stage } from './support/stage.ts'
import { startOldProcess } from './upgrades/old-process.ts'
import { fill, firstRow, listTables, readRows } from './upgrades/rows.ts'

const rowCount = { quick: 200, long: 20_000 }
const maxWaitMs = 1_000
/** The old process is at work so long before the upgrade, and after it. */
const oldProcessMs = 60

export const upgrades: Part = {
  name: 'upgrades',
  promise:
    'an upgrade from any earlier schema loses nothing, stops nobody for a second, and may be begun twice at once',
  async run({ quick }) {
    const stage = await openStage()
    try {
      const migrations = await listMigrations()
      const findings: string[] = []
      const seen = { written: 0, slowestMs: 0 }
      const rows = rowCount[quick ? 'quick' : 'long']
      for (const last of migrations.slice(0, -1)) {
        findings.push(...(await upgradeFrom(stage, last, rows, seen, migrate)))
      }
      const old = quick ? migrations.slice(-2, -1) : migrations.slice(0, -1)
      const startTwo = (databaseUrl: string) => startTwoServers(stage, databaseUrl, findings)
      await startTwo(await makeDatabase(stage, 'empty'))
      for (const last of old) {
        findings.push(...(await upgradeFrom(stage, last, rows, seen, startTwo)))
      }
      const figures = {
        'schemas upgraded from': migrations.length - 1,
        'rows in each table': rows,
        'two servers at once, on': ['an empty database', ...old].join(', '),
        'rows written by the old process meanwhile': seen.written,
        'its longest wait, ms': Math.round(seen.slowestMs),
      }
      if (seen.written === 0) findings.push('no old process wrote anything meanwhile')
      if (findings.length > 0) throw new BrokenPromise(findings.join('\n  '), figures)
      return figures
    } finally {
      await stage.close()
    }
  },
}

let databases = 0

async function makeDatabase(stage: Stage, what: string): Promise<string> {
  databases += 1
  const name = `chaos_${databases}_${what.replace(/\W/g, '_')}`
  await sql`create database ${sql.id(name)}`.execute(stage.db)
  return databaseOn(stage.databaseUrl, name)
}

/** Fills a database of an earlier schema, upgrades it while an old process writes, and says what is wrong afterwards. */
async function upgradeFrom(
  stage: Stage,
  last: string,
  rows: number,
  seen: { written: number; slowestMs: number },
  upgrade: (databaseUrl: string) => Promise<void>,
): Promise<string[]> {
  const databaseUrl = await makeDatabase(stage, last)
  const db = openDatabase(databaseUrl)
  try {
    const { error } = await migrator(db).migrateTo(last)
    if (error) throw error
    const tables = await listTables(db)
    await fill(db, tables, rows)
    const before = new Map<string, Awaited<ReturnType<typeof readRows>>>()
    for (const table of tables) before.set(table, await readRows(db, table))

    const oldProcess = await startOldProcess(databaseUrl, tables, firstRow + rows)
    await pause(oldProcessMs)
    await upgrade(databaseUrl)
    await pause(oldProcessMs)
    const { written, failures, slowestMs, slowest } = await oldProcess.stop()
    seen.written += written
    seen.slowestMs = Math.max(seen.slowestMs, slowestMs)

    const findings = failures.map((failure) => `from ${last}: the old process failed: ${failure}`)
    if (slowestMs > grown(maxWaitMs))
      findings.push(`from ${last}: ${slowest} was locked for ${Math.round(slowestMs)} ms`)
    for (const [table, { columns, rows: earlier }] of before) {
      const now = await readRows(db, table, columns).catch((error: Error) => error)
      if (now instanceof Error) {
        findings.push(`from ${last}: ${table} cannot be read as before: ${now.message}`)
        continue
      }
      const present = new Set(now.rows)
      const lost = earlier.filter((row) => !present.has(row)).length
      if (lost > 0) findings.push(`from ${last}: ${table} lost ${lost} rows, or changed them`)
      const missing = earlier.length + written - now.rows.length
      if (missing > 0) findings.push(`from ${last}: ${table} lost ${missing} rows of the old process`)
    }
    return findings
  } finally {
    await db.destroy()
  }
}

async function migrate(databaseUrl: string): Promise<void> {
  const db = openDatabase(databaseUrl)
  await migrateToLatest(db).finally(() => db.destroy())
}

/** Starts two servers on a database at the same moment; both have to come up, and to see what the other writes. */
async function startTwoServers(stage: Stage, databaseUrl: string, findings: string[]): Promise<void> {
  const starts = await Promise.allSettled([1, 2].map(() => stage.startServer({ DATABASE_URL: databaseUrl })))
  const servers = starts.flatMap((start) => {
    if (start.status === 'fulfilled') return start.value
    findings.push(`of two servers at once one did not start: ${String(start.reason).slice(0, 500)}`)
    return []
  })
  const [one, other] = servers
  if (one && other) {
    for (const { origin } of servers) {
      const { status } = await fetch(`${origin}/ready`)
      if (status !== 200) findings.push(`of two servers at once one is not ready: ${status}`)
    }
    const account = { email: 'new@example.org', username: 'new.one', password: 'correct horse' }
    const { token, user } = await ask(one.origin, null, 'POST', '/auth/register', account)
    const found = await ask(other.origin, token, 'GET', '/users/@me')
    if (found.id !== user.id) findings.push('two servers at once see different users')
  }
  await Promise.all(servers.map((server) => server.end()))
}
