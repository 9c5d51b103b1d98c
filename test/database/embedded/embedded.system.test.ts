import { spawnSync } from 'node:child_process'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openDatabaseWithoutTimeouts } from '../../../src/database/client.ts'
import { findRunningPostgres, startPostgres } from '../../../src/database/embedded/embedded.ts'
import { isAlive } from '../../../src/database/embedded/embedded-cluster.ts'
import { migrateToLatest } from '../../../src/database/migrations/migrate.ts'
import { failToStart, type Server, startServer } from '../../support/server.ts'

const careless = ['fsync=off', 'full_page_writes=off']
const isRoot = process.getuid?.() === 0
const nobody = 65_534

let folder: string
/** A data folder that was started, migrated and stopped once; each test copies it. */
let used: string
const running: Server[] = []
let copies = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hearth-embedded-'))
  await chmod(folder, 0o755)
  used = join(folder, 'used')
  const postgres = await startPostgres(join(used, 'postgres'), careless)
  await query(postgres.url, 'create table kept as select 42 n')
  const db = openDatabaseWithoutTimeouts(postgres.url)
  await migrateToLatest(db)
  await db.destroy()
  await postgres.stop()
})

afterEach(async () => {
  for (const server of running.splice(0)) if (server.child.exitCode === null) await server.end('SIGTERM')
})

afterAll(() => rm(folder, { recursive: true, force: true }))

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function copyOfUsed(name = `copy${copies++}`): Promise<string> {
  const dir = join(folder, name)
  const { status } = spawnSync('cp', ['-a', used, dir])
  expect(status).toBe(0)
  return dir
}

async function start(dir: string, options = {}): Promise<Server> {
  const server = await startServer(dir, options)
  running.push(server)
  return server
}

async function postmasterPid(dir: string): Promise<number> {
  return Number((await readFile(join(dir, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0])
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('it never came to be')
    await pause(20)
  }
}

test.each([
  ['with special characters', `1, 2 and "3", 100%41 #é'`],
  ['too long for a socket', 'long'.repeat(25)],
])('a folder of a name %s will do', async (_what, name) => {
  const dir = await copyOfUsed(name)
  const postgres = await startPostgres(join(dir, 'postgres'), careless)
  const found = await query(postgres.url, 'select n from kept')
  await postgres.stop()
  expect(found).toEqual([{ n: 42 }])
})

test('what a first start that was killed has left does not keep a process of the same id from starting', async () => {
  const dir = join(folder, 'killed')
  await mkdir(join(dir, `data.${process.pid}/base`), { recursive: true })
  const postgres = await startPostgres(dir, careless)
  await postgres.stop()
  expect((await readdir(dir)).sort()).toEqual(['data', 'log', 'password'])
})

test('what was written before a stop is there after the next start, and only the password opens it', async () => {
  const dir = await copyOfUsed()
  const postgres = await startPostgres(join(dir, 'postgres'), careless)
  try {
    expect(await query(postgres.url, 'select n from kept')).toEqual([{ n: 42 }])
    expect(new URL(postgres.url).hostname).toBe(encodeURIComponent(join(dir, 'postgres')))
    const byLoopback = postgres.url.replace(/@[^:]+:/, '@127.0.0.1:')
    expect(await query(byLoopback, 'select n from kept')).toEqual([{ n: 42 }])
    const stranger = postgres.url.replace(/:[0-9a-f]{48}@/, ':wrong@')
    await expect(query(stranger, 'select 1')).rejects.toMatchObject({ code: '28P01' })
    for (const file of ['password', 'log', 'data']) {
      expect((await stat(join(dir, 'postgres', file))).mode & 0o077, file).toBe(0)
    }
    expect(await findRunningPostgres(join(dir, 'postgres'))).toBe(postgres.url)
  } finally {
    await postgres.stop()
  }
  expect(await findRunningPostgres(join(dir, 'postgres'))).toBeUndefined()
  // Its log is appended to.
  const log = await readFile(join(dir, 'postgres/log'), 'utf8')
  expect(log.match(/ready to accept connections/g)).toHaveLength(2)
})

test('its log does not quote the rows that an error is about', async () => {
  const dir = await copyOfUsed()
  const postgres = await startPostgres(join(dir, 'postgres'), careless)
  const insert = `insert into users (id, username, name, email) select n, 'user' || n, 'Ann', 'ann@example.org' from generate_series(1, 2) n`
  try {
    await expect(query(postgres.url, insert)).rejects.toMatchObject({
      code: '23505',
      detail: expect.stringContaining('ann@example.org'),
    })
  } finally {
    await postgres.stop()
  }
  const log = await readFile(join(dir, 'postgres/log'), 'utf8')
  expect(log).toContain('duplicate key value violates unique constraint "users_email_unique"')
  expect(log).not.toContain('=(ann@example.org)')
})

test('truncates a long log at a start', async () => {
  const dir = await copyOfUsed()
  const log = join(dir, 'postgres/log')
  await writeFile(log, 'x'.repeat(1_048_577))
  await (await startPostgres(join(dir, 'postgres'), careless)).stop()
  expect(await readFile(log, 'utf8')).toMatch(/^[^x].*ready to accept connections/s)
})

test('starts despite a stale lock file whose pid belongs to another process', async () => {
  const dir = await copyOfUsed()
  for (const pid of [4_194_303, process.pid]) {
    const lines = [
      pid,
      join(dir, 'postgres/data'),
      1_700_000_000,
      1,
      '',
      '127.0.0.1',
      '  123456    789',
      'ready',
    ]
    await writeFile(join(dir, 'postgres/data/postmaster.pid'), `${lines.join('\n')}\n`)
    const postgres = await startPostgres(join(dir, 'postgres'), careless)
    expect(await query(postgres.url, 'select n from kept')).toEqual([{ n: 42 }])
    await postgres.stop()
  }
})

test('a PostgreSQL that survived the kill of its server is taken over, and stopped with the new one', async () => {
  const dir = await copyOfUsed()
  const first = await start(dir)
  const pid = await postmasterPid(dir)
  expect(await first.end('SIGKILL')).toBe(null)
  expect(isAlive(pid)).toBe(true)
  const second = await start(dir)
  expect(await postmasterPid(dir)).toBe(pid)
  expect((await fetch(`${second.origin}/ready`)).status).toBe(200)
  process.kill(pid, 'SIGKILL')
  await until(
    async () => (await fetch(`${second.origin}/ready`)).status === 200 && (await postmasterPid(dir)) !== pid,
  )
  const successor = await postmasterPid(dir)
  expect(await second.end('SIGTERM')).toBe(0)
  expect(isAlive(successor)).toBe(false)
})

test('answers 503 after PostgreSQL was killed, and recovers without a restart of the server', async () => {
  const dir = await copyOfUsed()
  const server = await start(dir)
  const pid = await postmasterPid(dir)
  const log = join(dir, 'postgres/log')
  // Without its log it does not start again meanwhile.
  await rm(log)
  await mkdir(log)
  process.kill(pid, 'SIGKILL')
  await until(async () => !isAlive(pid))
  const answer = await fetch(`${server.origin}/users/nobody-here`)
  expect(answer.status).toBe(503)
  const times: number[] = []
  for (let count = 0; count < 5; count += 1) {
    const asked = Date.now()
    expect((await fetch(`${server.origin}/users/nobody-here`)).status).toBe(503)
    times.push(Date.now() - asked)
  }
  // A busy machine delays some of them.
  expect(Math.min(...times)).toBeLessThan(1_000)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(await answer.json()).toMatchObject({ success: false, error: { code: 'unavailable' } })
  expect((await fetch(`${server.origin}/health`)).status).toBe(200)
  await rm(log, { recursive: true })
  await until(async () => (await fetch(`${server.origin}/users/nobody-here`)).status === 400)
})

test('restarts a killed PostgreSQL once its log can be written', async () => {
  const dir = await copyOfUsed()
  const server = await start(dir)
  const log = join(dir, 'postgres/log')
  await rm(log)
  await mkdir(log)
  process.kill(await postmasterPid(dir), 'SIGKILL')
  await until(async () => (await fetch(`${server.origin}/ready`)).status === 503)
  await pause(1_000)
  expect((await fetch(`${server.origin}/health`)).status).toBe(200)
  await rm(log, { recursive: true })
  await until(async () => (await fetch(`${server.origin}/ready`)).status === 200)
})

test('settings for other databases in the environment do not keep it from starting', async () => {
  const server = await start(await copyOfUsed(), { environment: { PGSSLMODE: 'require' } })
  expect((await fetch(`${server.origin}/ready`)).status).toBe(200)
})

test('a second server on the same folder is refused with a sentence, and the first does not notice', async () => {
  const dir = await copyOfUsed()
  const first = await start(dir)
  const { code, stderr } = await failToStart(dir)
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^Another Hearth is running on \S+\. Stop it first, or set DATA_DIR to another folder\.\n$/,
  )
  expect((await fetch(`${first.origin}/ready`)).status).toBe(200)
})

test('a PostgreSQL that cannot start is quoted with its reason, not with its last words', async () => {
  const dir = await copyOfUsed()
  await rm(join(dir, 'postgres/data/pg_wal'), { recursive: true })
  const { code, stderr } = await failToStart(dir)
  expect(code).toBe(1)
  expect(stderr).toMatch(/^PostgreSQL did not start in \S+: [^\n]*FATAL: [^\n]*pg_wal[^\n]*\n$/)
})

test('a lost or foreign password file ends the start with a sentence', async () => {
  const dir = await copyOfUsed()
  await writeFile(join(dir, 'postgres/password'), 'f'.repeat(48))
  expect(await failToStart(dir)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is not the password/),
  })
  await rm(join(dir, 'postgres/password'))
  expect(await failToStart(dir)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/password is missing/),
  })
})

test.runIf(isRoot)(
  'as root it runs under another account, also in a folder that only root may enter',
  async () => {
    const dir = join(folder, 'private')
    await mkdir(dir, { mode: 0o700 })
    const postgres = await startPostgres(join(dir, 'data/postgres'), careless)
    try {
      const status = await readFile(`/proc/${await postmasterPid(join(dir, 'data'))}/status`, 'utf8')
      expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.toBe('0')
      await query(postgres.url, 'create table one as select 1')
    } finally {
      await postgres.stop()
    }
  },
)

test.runIf(isRoot)('it starts for a plain user', async (context) => {
  const checkout = join(folder, 'checkout')
  const root = join(import.meta.dirname, '../../..')
  await mkdir(checkout)
  for (const part of ['src', 'migrations', 'package.json', 'start.js']) {
    await cp(join(root, part), join(checkout, part), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'))
  const asNobody = { uid: nobody, gid: nobody }
  const readable = spawnSync('test', ['-r', join(checkout, 'node_modules/fastify/fastify.js')], asNobody)
  if (readable.status !== 0) return context.skip('the modules of this checkout are for root alone')
  const dir = join(checkout, 'data')
  await mkdir(dir)
  await chown(dir, nobody, nobody)
  const server = await start(dir, { ...asNobody, main: join(checkout, 'start.js') })
  expect((await fetch(`${server.origin}/ready`)).status).toBe(200)
  expect(await server.end('SIGINT')).toBe(0)
})

test('the role of the server owns its database and is no superuser, also in a folder of an earlier version', async () => {
  const dir = await copyOfUsed()
  const before = await startPostgres(join(dir, 'postgres'), careless)
  await query(
    before.adminUrl,
    `reassign owned by hearth_owner to hearth; drop owned by hearth_owner;
     alter database hearth owner to hearth; drop role hearth_owner`,
  )
  await before.stop()

  const postgres = await startPostgres(join(dir, 'postgres'), careless)
  try {
    const owned = `select rolname, rolsuper, rolcreaterole, rolcreatedb,
        (select pg_get_userbyid(datdba) from pg_database where datname = current_database()) as of_database,
        (select array_agg(distinct pg_get_userbyid(relowner)::text) from pg_class
          where relnamespace = 'public'::regnamespace) as of_tables,
        (select array_agg(distinct pg_get_userbyid(proowner)::text) from pg_proc
          where pronamespace = 'public'::regnamespace) as of_functions
      from pg_roles where rolname = current_user`
    expect(await query(postgres.url, owned)).toEqual([
      {
        rolname: 'hearth_owner',
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        of_database: 'hearth_owner',
        of_tables: ['hearth_owner'],
        of_functions: ['hearth_owner'],
      },
    ])
    await query(
      postgres.url,
      'alter table kept add column m int; create table other (n int); drop table other',
    )
    for (const forbidden of [`copy kept to program 'cat'`, 'select * from pg_authid', 'set role hearth']) {
      await expect(query(postgres.url, forbidden), forbidden).rejects.toMatchObject({ code: '42501' })
    }
  } finally {
    await postgres.stop()
  }
  // The log contains no password.
  const log = await readFile(join(dir, 'postgres/log'), 'utf8')
  const password = await readFile(join(dir, 'postgres/password'), 'utf8')
  expect(log).not.toContain(password)
  expect(log).not.toContain(new URL(postgres.url).password)
})
