import { sql } from 'kysely'
import { describeWaitingMails } from '../../accounts/mails/queries.ts'
import { hasAdmin } from '../../administration/accounts/queries.ts'
import { backupVerified } from '../../administration/audit-log/operations.ts'
import { findNewestServerAuditEntry } from '../../administration/audit-log/queries.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../database/client.ts'
import { checkCompatibility } from '../../database/migrations/compatibility.ts'
import { listNewerMigrations, listPendingMigrations } from '../../database/migrations/migrate.ts'
import { findNewestId } from '../../database/node-number.ts'
import { NewerDatabase } from '../../errors.ts'
import { getLogSize } from '../../events/log-queries.ts'
import { idTimeMs, toleratedAheadMs } from '../../ids.ts'
import { describeFailure } from '../../process/failures.ts'
import { type CommandContext, count } from '../command.ts'
import { hasDatabase, readerOfSpace, withRawInstallation } from '../installation.ts'
import { describeSpan, type Finding, note, ok, wrong } from './findings.ts'
import { judgeSpace } from './space-checks.ts'

/** A verified backup should not be older. */
const backupAgeMs = 7 * 86_400_000
/** Mail servers put off what they do not know (greylisting) for a few minutes. */
const waitingMailMs = 600_000
/** The clocks of machines that synchronize theirs differ by less. */
const toleratedClockMs = 10_000

/** Creates nothing: a database that does not exist yet is created by the first start of the server. */
export async function checkDatabase(config: Config, context: CommandContext): Promise<Finding[]> {
  if (!hasDatabase(config)) {
    return [note('database', `There is no database in ${config.dataDir} yet: the first start makes it.`)]
  }
  try {
    return await withRawInstallation(context, async ({ db }) => [
      ...(await checkConnected(db)),
      await checkSpace(config, db),
      await checkClock(db),
    ])
  } catch (error) {
    return [wrong('database', describeFailure(error))]
  }
}

async function checkConnected(db: Db): Promise<Finding[]> {
  const { shown, unfit } = await checkCompatibility(db)
  const fitness =
    unfit.length > 0
      ? unfit.map((sentence) => wrong('database', sentence))
      : [ok('database', `The database answers: PostgreSQL ${shown}.`)]
  const form = await checkMigrations(db)
  if (form.state !== 'ok') return [...fitness, form]
  const contents = [await describeLog(db), await checkIds(db), await checkAdmin(db), await checkBackup(db)]
  return [...fitness, form, ...contents, await checkMails(db)]
}

async function checkMigrations(db: Db): Promise<Finding> {
  const pending = await listPendingMigrations(db)
  if (pending.length > 0) {
    const sentence = `Pending migrations: ${pending.join(', ')}; the next start or "npm run hearth -- migrate" runs them.`
    return wrong('migrations', sentence)
  }
  const newer = await listNewerMigrations(db)
  return newer.length > 0
    ? wrong('migrations', new NewerDatabase(newer).message)
    : ok('migrations', 'The database is in the form of this version.')
}

/** While no server runs, new entries get no position. */
async function describeLog(db: Db): Promise<Finding> {
  const { entries, newest, waiting } = await getLogSize(db)
  const size = `${entries} ${entries === 1 ? 'entry' : 'entries'}, the newest at position ${newest}`
  const more = `${waiting} more ${waiting === 1 ? 'waits' : 'wait'} to be read`
  return ok('event_log', `The log of events has ${size}; ${more}.`)
}

/** Ids contain the time at which they were made, and each is greater than those before. */
async function checkIds(db: Db): Promise<Finding> {
  const newest = await findNewestId(db)
  const madeAt = newest === undefined ? 0 : idTimeMs(newest)
  const aheadMs = madeAt - Date.now()
  if (aheadMs <= toleratedAheadMs) return ok('ids', 'No id is ahead of the clock.')
  const until = new Date(madeAt).toISOString()
  return wrong(
    'ids',
    `The newest id is ${describeSpan(aheadMs)} ahead of the clock, as a clock was ahead once: until ${until} every new message has that time.`,
  )
}

async function checkAdmin(db: Db): Promise<Finding> {
  return (await hasAdmin(db))
    ? ok('admin', 'There is an admin.')
    : note('admin', 'Nobody is an admin: "npm run hearth -- make-admin <user>" makes somebody one.')
}

async function checkBackup(db: Db): Promise<Finding> {
  const entry = await findNewestServerAuditEntry(db, backupVerified)
  if (entry === undefined) {
    return note(
      'backup',
      'No backup was verified yet: "npm run hearth -- backup <folder> --verify" makes one.',
    )
  }
  const ageMs = Math.max(0, Date.now() - idTimeMs(entry))
  const sentence = `The newest verified backup is ${describeSpan(ageMs)} old`
  return ageMs > backupAgeMs
    ? wrong('backup', `${sentence}: make one every day.`)
    : ok('backup', `${sentence}.`)
}

async function checkMails(db: Db): Promise<Finding> {
  const waiting = await describeWaitingMails(db)
  if (waiting.count === 0 || !waiting.oldest) return ok('mails', 'No mail waits to be sent again.')
  const ageMs = Date.now() - waiting.oldest.getTime()
  const sentence = `${count(waiting.count, 'mail')} could not be sent yet, the oldest for ${describeSpan(ageMs)}.`
  return ageMs > waitingMailMs ? wrong('mails', sentence) : note('mails', sentence)
}

async function checkSpace(config: Config, db: Db): Promise<Finding> {
  const read = readerOfSpace(config, db)
  if (read) return judgeSpace('database_space', await read(), 'The database', 'nothing can be written')
  return note(
    'database_space',
    'DATABASE_MAX_SIZE is not set: nothing keeps the database from filling its disk.',
  )
}

/** Whether this machine and that of the database have the same time. */
async function checkClock(db: Db): Promise<Finding> {
  const before = Date.now()
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const aheadMs = (before + Date.now()) / 2 - rows[0]!.now.getTime()
  if (Math.abs(aheadMs) <= toleratedClockMs)
    return ok('clock', 'This machine and the database have the same time.')
  const direction = aheadMs > 0 ? 'ahead of' : 'behind'
  return wrong(
    'clock',
    `The clock of this machine is ${describeSpan(Math.abs(aheadMs))} ${direction} that of the database: synchronize both.`,
  )
}
