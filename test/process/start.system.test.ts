import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { firstIdAt, newId } from '../../src/ids.ts'
import { otherServer } from '../support/backup.ts'
import { hearthIn } from '../support/cli.ts'
import { databaseOn, onServer } from '../support/database-server.ts'
import { ownWorld } from '../support/own-world.ts'
import { beginToStart, failToStart, startServer } from '../support/server.ts'
import { databaseUrl, db, house, node, user } from '../support/world.ts'

await ownWorld()

const server = inject('databaseUrl')
// This process is none of those that a start finds.
await node.release()
const folder = await mkdtemp(join(tmpdir(), 'hearth-start-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

// As PostgreSQL, it answers the question for TLS with one letter.
const refusing = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.write('N')))
await once(refusing.listen(0, '127.0.0.1'), 'listening')
afterAll(() => refusing.close())
const withoutTls = refusing.address() as AddressInfo

/** Values that only a try shows to be wrong, and what the start says. */
const cases: [string, Record<string, string>, string][] = [
  [
    'a host that is not there',
    { HOST: 'nowhere.invalid' },
    'HOST and PORT cannot be listened on: .* Set HOST to an address of this machine',
  ],
  [
    'a folder for files that cannot be made',
    { STORAGE_URL: 'file:///dev/null/files' },
    'STORAGE_URL, or DATA_DIR, cannot be used: .*ENOTDIR.*',
  ],
  [
    'a Redis that is away',
    { REDIS_URL: 'redis://127.0.0.1:1' },
    'REDIS_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1',
  ],
  [
    'a database without TLS where it is asked for',
    { DATABASE_URL: `postgres://127.0.0.1:${withoutTls.port}/hearth?sslmode=verify-full` },
    'DATABASE_URL cannot be used: The server does not support SSL connections',
  ],
]

test.each(cases)('a start with %s ends with one sentence and exit code 1', async (_name, wrong, sentence) => {
  const { code, stderr } = await failToStart(folder, { DATABASE_URL: databaseUrl, ...wrong })
  expect(code).toBe(1)
  expect(stderr).toMatch(new RegExp(`^${sentence}\\.\\n$`))
})

test('a start with a database that is not in UTF8 ends with one sentence and exit code 1', async () => {
  const name = `hearth_ascii_${process.pid}`
  await onServer(
    server,
    `create database ${name} encoding 'SQL_ASCII' template template0 locale_provider libc lc_collate 'C' lc_ctype 'C'`,
  )
  onTestFinished(() => onServer(server, `drop database if exists ${name} with (force)`))
  const { code, stderr } = await failToStart(folder, { DATABASE_URL: databaseOn(server, name) })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^The database has the encoding SQL_ASCII and must have UTF8: [^\n]*\.\n$/)
  const found = await hearthIn({ DATABASE_URL: databaseOn(server, name), DATA_DIR: folder }, 'doctor')
  expect(found.out).toMatch(/^wrong {2}The database has the encoding SQL_ASCII/m)
})

test('a start with a user who may not create tables ends with one sentence and exit code 1', async () => {
  const name = `hearth_guest_${process.pid}`
  await onServer(server, `create database ${name}`)
  await onServer(server, `create role ${name} login password 'guest'`)
  onTestFinished(async () => {
    await onServer(server, `drop database if exists ${name} with (force)`)
    await onServer(server, `drop role ${name}`)
  })
  const address = new URL(databaseOn(server, name))
  address.username = name
  address.password = 'guest'
  const { code, stderr } = await failToStart(folder, { DATABASE_URL: address.href })
  expect(code).toBe(1)
  expect(stderr).toBe('DATABASE_URL cannot be used: permission denied for schema public.\n')
})

test.each([
  ['an embedded database', {}],
  ['another database', { DATABASE_URL: databaseUrl }],
])('a start below /proc with %s ends with one sentence and exit code 1', async (_name, environment) => {
  const { code, stderr } = await failToStart(folder, { DATA_DIR: '/proc/x', ...environment })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^(STORAGE_URL, or )?DATA_DIR,? cannot be used: [^\n]*ENOENT[^\n]*\.\n$/)
})

test('a start with an older Node ends with a sentence that says which is needed, and exit code 1', async () => {
  const older = join(folder, 'older-node.mjs')
  await writeFile(older, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })")
  const { code, stderr } = await failToStart(folder, { NODE_OPTIONS: `--import ${older}` })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^Hearth needs Node 24 or newer, and this is 20\.20\.2: npm ci .*\.\n$/)
})

test('a start with PUBLIC_URL says that clients reach it there, and where it listens', async () => {
  const environment = {
    DATABASE_URL: databaseUrl,
    HOST: '0.0.0.0',
    PUBLIC_URL: 'https://chat.example.org/',
  }
  const { child, written } = beginToStart(folder, environment)
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect.poll(() => written.stdout, { timeout: 120_000 }).toContain('\n')
  // Programs read what is no terminal: each line is JSON.
  expect(
    written.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    {
      level: 30,
      msg: 'Hearth answers at https://chat.example.org',
      listening: expect.stringMatching(/^http:\/\/0\.0\.0\.0:\d+$/),
      docs: 'https://chat.example.org/docs',
    },
  ])
})

test('a start with ids ahead of the clock says so in log and metrics', async () => {
  const place = await otherServer()
  const ahead = firstIdAt(Date.now() + 3_600_000)
  await onServer(place.DATABASE_URL, `insert into users (id, username, name) values (${ahead}, 'ann', 'Ann')`)
  const server = await startServer(folder, {
    environment: { DATABASE_URL: place.DATABASE_URL, LOG_LEVEL: 'warn' },
  })
  await expect.poll(server.output).toMatch(/"aheadSeconds":3[56]\d\d,"msg":"the clock was ahead once: [^"]+"/)
  const metrics = await (await fetch(`${server.origin}/metrics`)).text()
  expect(Number(/^hearth_ids_ahead_seconds (.*)$/m.exec(metrics)![1])).toBeGreaterThan(3_000)
  expect(await server.end()).toBe(0)
})

test('a start with a folder for data that cannot be made ends with one sentence and exit code 1', async () => {
  const { code, stderr } = await failToStart(folder, { DATA_DIR: '/dev/null/hearth' })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^DATA_DIR cannot be used: [^\n]*ENOTDIR[^\n]*\.\n$/)
})

test('a server that starts with its clock behind makes greater ids than there are', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const ahead = BigInt(newId()) + (3_600_000n << 22n)
  await db
    .updateTable('room_heads')
    .set({ last_message_id: `${ahead}` })
    .where('room_id', '=', room_id)
    .execute()
  const server = await startServer(folder, { environment: { DATABASE_URL: databaseUrl } })
  const answer = await fetch(`${server.origin}/houses`, {
    method: 'POST',
    headers: { authorization: ann.token, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Den' }),
  })
  const { data } = (await answer.json()) as { data: { id: string } }
  expect(BigInt(data.id)).toBeGreaterThan(ahead)
  await server.end()
})

test('a start at localhost listens at one address, where it has several', async () => {
  const twoAddresses = join(folder, 'two-addresses.mjs')
  await writeFile(
    twoAddresses,
    `import dns from 'node:dns'
    import { syncBuiltinESMExports } from 'node:module'
    const all = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }))
    const lookup = dns.lookup
    dns.lookup = (host, options, callback) => {
      if (host !== 'localhost') return lookup(host, options, callback)
      const isAll = callback !== undefined && options.all
      process.nextTick(callback ?? options, null, isAll ? all : '127.0.0.1', 4)
    }
    syncBuiltinESMExports()`,
  )
  const environment = {
    DATABASE_URL: databaseUrl.replace('localhost', '127.0.0.1'),
    HOST: 'localhost',
    NODE_OPTIONS: `--import ${twoAddresses}`,
  }
  const server = await startServer(folder, { environment })
  onTestFinished(async () => void (await server.end('SIGTERM')))
  expect((await fetch(`${server.origin}/health`)).status).toBe(200)
  await expect(fetch(server.origin.replace('127.0.0.1', '127.0.0.2'))).rejects.toThrow('fetch failed')
})

test('a start from a folder of any name finds its migrations', async () => {
  const odd = join(folder, 'chat #1, 100%41?')
  const root = join(import.meta.dirname, '../..')
  await mkdir(odd)
  for (const each of ['migrations', 'src', 'package.json', 'start.js']) {
    await cp(join(root, each), join(odd, each), { recursive: true })
  }
  await symlink(await realpath(join(root, 'node_modules')), join(odd, 'node_modules'))
  const environment = { DATABASE_URL: databaseUrl }
  const server = await startServer(folder, { environment, main: join(odd, 'start.js') })
  expect(await server.end('SIGTERM')).toBe(0)
})

test('a start on a port that is taken says so, and what to set', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const place = join(folder, 'taken')
  const { code, stderr } = await failToStart(place, { HOST: '127.0.0.1', PORT: String(port) })
  taken.close()
  expect(code).toBe(1)
  // The failed start has made no database.
  expect(existsSync(place)).toBe(false)
  expect(stderr).toMatch(/^HOST and PORT cannot be listened on: .*EADDRINUSE.* Set PORT to a free one/)
})

test('a start of several processes of which none comes up ends with the reason and exit code 1', async () => {
  const environment = { DATABASE_URL: databaseUrl, REDIS_URL: 'redis://127.0.0.1:1', WORKERS: '2' }
  const { code, stderr } = await failToStart(folder, environment)
  expect(code).toBe(1)
  expect(stderr).toContain('REDIS_URL cannot be used')
  expect(stderr).toMatch(/^The processes that share the port ended at once\.$/m)
})

test('a server that another program started with a channel to it says where it answers all the same', async () => {
  const server = await startServer(folder, { environment: { DATABASE_URL: databaseUrl }, channel: true })
  expect((await fetch(`${server.origin}/health`)).status).toBe(200)
  expect(await server.end('SIGTERM')).toBe(0)
})

test('a start makes the folders of the files, for the account of the server alone', async () => {
  const dataDir = join(folder, 'data')
  const server = await startServer(dataDir, { environment: { DATABASE_URL: databaseUrl } })
  await server.end('SIGTERM')
  const modes = await Promise.all(
    [dataDir, join(dataDir, 'files')].map(async (dir) => (await stat(dir)).mode),
  )
  expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o700])
})

test('a start says where the files are, also when that is not in the folder for data', async () => {
  const files = `file://${join(folder, 'pictures')}`
  const inside = await startServer(folder, { environment: { DATABASE_URL: databaseUrl } })
  const environment = { DATABASE_URL: databaseUrl, STORAGE_URL: files }
  const outside = await startServer(folder, { environment })
  expect(JSON.parse(inside.output()).data).toBe(`${folder} (files)`)
  expect(JSON.parse(outside.output()).data).toBe(`${files} (files)`)
  await Promise.all([inside.end(), outside.end()])
})
