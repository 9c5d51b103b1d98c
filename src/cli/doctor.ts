import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import type { Db } from '../database/client.ts'
import { checkCompatibility } from '../database/migrations/compatibility.ts'
import { listNewerMigrations, listPendingMigrations } from '../database/migrations/migrate.ts'
import { stateOf } from '../database/space/watch-space.ts'
import { NewerDatabase, reasonOf } from '../errors.ts'
import { getLogSize } from '../events/log-queries.ts'
import { tryMailServer } from '../mail/mailer.ts'
import { describeFailure } from '../process/failures.ts'
import { openStore } from '../storage/open.ts'
import { CliError, type Command, type CommandContext, count } from './command.ts'
import { hasDatabase, readerOfSpace, withRawInstallation } from './installation.ts'

/** The result of one check: `ok`, worth knowing, or wrong. */
type Finding = { state: 'ok' | 'note' | 'wrong'; sentence: string }

const ok = (sentence: string): Finding => ({ state: 'ok', sentence })
const note = (sentence: string): Finding => ({ state: 'note', sentence })
const wrong = (sentence: string): Finding => ({ state: 'wrong', sentence })

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the installation and report each problem in a sentence; exit with 1 if there is one',
  parameters: [],
  options: {},
  async run(_args, context) {
    const config = readConfig(context.environment)
    const findings = [
      await checkNode(),
      ...(await checkDatabase(config, context)),
      await checkStore(config),
      await checkMail(config),
      await checkRedis(config),
      ...checkSettings(config),
    ]
    for (const { state, sentence } of findings) context.print(`${state.padEnd(5)}  ${sentence}`)
    const problems = findings.filter(({ state }) => state === 'wrong').length
    if (problems > 0) throw new CliError(`${count(problems, 'thing')} to put right.`)
  },
}

async function checkNode(): Promise<Finding> {
  const { engines } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'))
  const wanted = Number(/[0-9]+/.exec(engines.node)![0])
  const { node } = process.versions
  if (Number(node.split('.')[0]) >= wanted) return ok(`Node is ${node}.`)
  return wrong(`Node is ${node} and must be ${wanted} or newer: "npm ci" brings one.`)
}

/** Creates nothing: a database that does not exist yet is created by the first start of the server. */
async function checkDatabase(config: Config, context: CommandContext): Promise<Finding[]> {
  if (!hasDatabase(config)) {
    return [note(`There is no database in ${config.dataDir} yet: the first start makes it.`)]
  }
  try {
    return await withRawInstallation(context, async ({ db }) => [
      ...(await checkConnected(db)),
      ...(await checkSpace(config, db)),
    ])
  } catch (error) {
    return [wrong(describeFailure(error))]
  }
}

async function checkConnected(db: Db): Promise<Finding[]> {
  const { shown, unfit } = await checkCompatibility(db)
  const fitness = unfit.length > 0 ? unfit.map(wrong) : [ok(`The database answers: PostgreSQL ${shown}.`)]
  const form = await checkMigrations(db)
  return [...fitness, form, ...(form.state === 'ok' ? [await describeLog(db)] : [])]
}

const mib = 2 ** 20

async function checkSpace(config: Config, db: Db): Promise<Finding[]> {
  const read = readerOfSpace(config, db)
  if (!read) return [note('DATABASE_MAX_SIZE is not set: nothing keeps the database from filling its disk.')]
  const space = await read()
  const state = stateOf(space)
  const [free, reserve] = [space.freeBytes, space.reserveBytes].map((bytes) => Math.floor(bytes / mib))
  const sentence = `The database may grow by ${free! - reserve!} MiB, until ${reserve} MiB are left (STORAGE_RESERVE)`
  if (state === 'enough') return [ok(`${sentence}.`)]
  if (state === 'low') return [note(`${sentence}: give it more space soon.`)]
  return [
    wrong(`Less than ${reserve} MiB are left for the database (STORAGE_RESERVE): nothing can be written.`),
  ]
}

/** While no server runs, new entries get no position. */
async function describeLog(db: Db): Promise<Finding> {
  const { entries, newest, waiting } = await getLogSize(db)
  const size = `${entries} ${entries === 1 ? 'entry' : 'entries'}, the newest at position ${newest}`
  return ok(`The log of events has ${size}; ${waiting} more ${waiting === 1 ? 'waits' : 'wait'} to be read.`)
}

async function checkMigrations(db: Db): Promise<Finding> {
  const pending = await listPendingMigrations(db)
  if (pending.length > 0) {
    return wrong(
      `Pending migrations: ${pending.join(', ')}; the next start or "npm run hearth -- migrate" runs them.`,
    )
  }
  const newer = await listNewerMigrations(db)
  return newer.length > 0
    ? wrong(new NewerDatabase(newer).message)
    : ok('The database is in the form of this version.')
}

/** Writes a file, looks it up and removes it, also when it cannot be looked up. */
async function checkStore(config: Config): Promise<Finding> {
  const name = `doctor-${randomUUID()}`
  try {
    const store = await openStore(config.storageUrl)
    await store.write(name, Buffer.from('ok'))
    const found = await store.find(name).finally(() => store.remove(name))
    if (found?.size === 2) return ok('The store of the files can be written and read.')
    return wrong('STORAGE_URL cannot be used: what is written there is not found again.')
  } catch (error) {
    const [reason] = reasonOf(error).split('\n')
    return wrong(`STORAGE_URL, or DATA_DIR, cannot be used for files: ${reason}.`)
  }
}

async function checkMail({ smtpUrl }: Config): Promise<Finding> {
  if (smtpUrl === undefined) {
    return note('SMTP_URL is not set: no mail goes out, codes come from "npm run hearth -- issue-code".')
  }
  return attempt('SMTP_URL', 'The mail server answers.', () => tryMailServer(smtpUrl))
}

async function checkRedis({ redisUrl }: Config): Promise<Finding> {
  if (redisUrl === undefined) {
    return note('REDIS_URL is not set: several servers tell each other what happens over the database.')
  }
  return attempt('REDIS_URL', 'Redis answers.', async () => {
    const { openRedisRelay } = await import('../events/redis-relay.ts')
    const relay = await openRedisRelay(redisUrl)
    await relay.close()
    const { openRedisBuckets } = await import('../http/load/redis-buckets.ts')
    const failures: unknown[] = []
    const buckets = await openRedisBuckets(redisUrl, { began: (reason) => failures.push(reason), ended() {} })
    await buckets.close()
    if (failures.length > 0) throw failures[0]
  })
}

async function attempt(setting: string, good: string, work: () => Promise<void>): Promise<Finding> {
  try {
    await work()
    return ok(good)
  } catch (error) {
    return wrong(`${setting} cannot be used: ${reasonOf(error)}.`)
  }
}

function checkSettings({ publicUrl, rateLimit }: Config): Finding[] {
  return [
    publicUrl !== undefined
      ? ok('PUBLIC_URL is set.')
      : note('PUBLIC_URL is not set: links to files name the address the server listens on.'),
    rateLimit
      ? ok('RATE_LIMIT is on.')
      : note('RATE_LIMIT is off: nothing keeps anybody from flooding the server.'),
  ]
}
