import dns from 'node:dns'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import type { Finding } from '../../src/cli/doctor/findings.ts'
import { startPostgres } from '../../src/database/embedded/embedded.ts'
import { firstIdAt } from '../../src/ids.ts'
import { environment, hearthIn } from '../support/cli.ts'
import { databaseOn, onServer } from '../support/database-server.ts'
import { startRedis } from '../support/redis.ts'
import { failToStart } from '../support/server.ts'
import { smtpServer } from '../support/smtp.ts'

const server = inject('databaseUrl')
const emptyName = `hearth_doctor_${process.pid}`
const empty = { ...environment(), DATABASE_URL: databaseOn(server, emptyName) }
await onServer(server, `create database ${emptyName}`)
const foundName = `hearth_doctor_found_${process.pid}`
const found = { ...environment(), DATABASE_URL: databaseOn(server, foundName) }
await onServer(server, `create database ${foundName}`)
const folder = await mkdtemp(join(tmpdir(), 'hearth-doctor-'))
afterAll(async () => {
  await onServer(server, `drop database if exists ${emptyName} with (force)`)
  await onServer(server, `drop database if exists ${foundName} with (force)`)
  await rm(folder, { recursive: true, force: true })
})

test('doctor reports no problem for a good installation, and notes unset settings', async () => {
  const { code, out, err } = await hearthIn({ ...environment(), PUBLIC_URL: '' }, 'doctor')
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain(`ok     Node is ${process.versions.node}.`)
  expect(out).toMatch(/^ok {5}The database answers: PostgreSQL [0-9.]+/m)
  expect(out).toContain('ok     The database is in the form of this version.')
  expect(out).toMatch(
    /^ok {5}The log of events has \d+ entr(y|ies), the newest at position \d+; \d+ more waits? to be read\.$/m,
  )
  expect(out).toContain('ok     The store of the files can be written and read.')
  expect(out).toMatch(/^note {3}PUBLIC_URL is not set: /m)
  expect(out).toMatch(/^note {3}SMTP_URL is not set: no mail goes out/m)
  expect(out).toMatch(/^note {3}REDIS_URL is not set: /m)
  expect(out).not.toContain('wrong')
})

test('doctor says how much the database may still grow, and that nothing more may be written', async () => {
  const space = async (DATABASE_MAX_SIZE: string) => {
    const { code, out } = await hearthIn(
      { ...environment(), DATABASE_MAX_SIZE, STORAGE_RESERVE: '1GiB' },
      'doctor',
    )
    return [code, /^(\w+) +(The database may grow|Less than)/m.exec(out)?.slice(1)]
  }
  expect(await space('100GiB')).toEqual([0, ['ok', 'The database may grow']])
  expect(await space('2GiB')).toEqual([0, ['note', 'The database may grow']])
  expect(await space('1GiB')).toEqual([1, ['wrong', 'Less than']])
  const { out } = await hearthIn(environment(), 'doctor')
  expect(out).toMatch(/^note {3}DATABASE_MAX_SIZE is not set: /m)
})

test('doctor says that the disk of the files is full', async () => {
  const find = async (STORAGE_RESERVE: string) => {
    const { code, out } = await hearthIn({ ...environment(), STORAGE_RESERVE }, 'doctor')
    return [
      code,
      /^(\w+) +(The files may grow|Less than \d+ MiB are left for the files)/m.exec(out)?.slice(1),
    ]
  }
  expect(await find('1MiB')).toEqual([0, ['ok', 'The files may grow']])
  expect(await find('999TiB')).toEqual([1, ['wrong', 'Less than 1047527424 MiB are left for the files']])
})

test('doctor tries the provider of OpenID Connect', async () => {
  const settings = (OIDC_ISSUER: string) => {
    return { ...environment(), OIDC_ISSUER, OIDC_CLIENT_ID: 'hearth', OIDC_CLIENT_SECRET: 'secret' }
  }
  const provider = createServer((_request, answer) => {
    const { port } = provider.address() as AddressInfo
    const issuer = `http://127.0.0.1:${port}`
    const about = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` }
    answer.setHeader('content-type', 'application/json').end(JSON.stringify(about))
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const alive = await hearthIn(settings(issuer), 'doctor')
  provider.closeAllConnections()
  await new Promise((closed) => provider.close(closed))
  expect(alive.code).toBe(0)
  expect(alive.out).toMatch(/^ok {5}The provider of OpenID Connect answers\.$/m)
  const dead = await hearthIn(settings(issuer), 'doctor')
  expect(dead.code).toBe(1)
  expect(dead.out).toMatch(/^wrong {2}OIDC_ISSUER cannot be used: .*ECONNREFUSED/m)
})

test('doctor wants TRUST_PROXY where PUBLIC_URL is https, and https where others reach the server', async () => {
  const find = async (PUBLIC_URL: string, TRUST_PROXY = '') => {
    const { code, out } = await hearthIn({ ...environment(), PUBLIC_URL, TRUST_PROXY }, 'doctor')
    return [code, ...out.split('\n').filter((line) => /PUBLIC_URL|TRUST_PROXY/.test(line))]
  }
  expect(await find('https://chat.example.org')).toEqual([
    1,
    'ok     PUBLIC_URL is set.',
    'wrong  TRUST_PROXY is not set, and PUBLIC_URL is https: everybody has the address of the proxy, and so one rate limit.',
  ])
  const good = [0, 'ok     PUBLIC_URL is set.', 'ok     TRUST_PROXY is set.']
  expect(await find('https://chat.example.org', '1')).toEqual(good)
  expect(await find('http://localhost:8080')).toEqual([0, 'ok     PUBLIC_URL is set.'])
  const [code, line] = await find('http://chat.example.org')
  expect([code, line]).toEqual([0, expect.stringMatching(/^note {3}PUBLIC_URL is not https: /)])
})

test('doctor sees ids ahead of the clock, an old backup, mails that wait and that nobody is an admin', async () => {
  expect((await hearthIn(found, 'migrate')).code).toBe(0)
  const find = async () => {
    const { code, out } = await hearthIn(found, 'doctor', '--json')
    const { ok, findings } = JSON.parse(out)
    const wanted = ['ids', 'admin', 'backup', 'mails', 'clock']
    const listed = findings.filter(({ check }: { check: string }) => wanted.includes(check))
    return {
      code,
      ok,
      states: Object.fromEntries(listed.map(({ check, state }: Finding) => [check, state])),
      out,
    }
  }
  const fresh = { ids: 'ok', admin: 'note', backup: 'note', mails: 'ok', clock: 'ok' }
  expect(await find()).toMatchObject({ code: 0, ok: true, states: fresh })
  const hourMs = 3_600_000
  const insertBackup = (ms: number) =>
    onServer(
      found.DATABASE_URL,
      `insert into server_audit_log (id, action, changes) values (${firstIdAt(ms)}, 'backup_verified', '[]')`,
    )
  await insertBackup(Date.now() - 8 * 24 * hourMs)
  await onServer(
    found.DATABASE_URL,
    `insert into users (id, username, name, admin) values (1, 'root', 'Root', true);
    insert into mails (user_id, kind, email, requested_at, due_at, attempts)
      values (1, 'codes_guessed', 'x@example.org', now() - interval '20 minutes', now(), 3)`,
  )
  const states = { ids: 'ok', admin: 'ok', backup: 'wrong', mails: 'wrong', clock: 'ok' }
  expect(await find()).toMatchObject({ code: 1, ok: false, states })
  await insertBackup(Date.now() + 2.5 * hourMs)
  const ahead = await find()
  expect(ahead).toMatchObject({ code: 1, states: { ...states, ids: 'wrong', backup: 'ok' } })
  expect(ahead.out).toContain('The newest id is 2 hours ahead of the clock')
})

test('doctor names every migration that is pending; migrate runs them, then there is nothing to do', async () => {
  const before = await hearthIn(empty, 'doctor')
  expect(before).toMatchObject({ code: 1, err: '1 thing to put right.' })
  expect(before.out).toMatch(/^wrong {2}Pending migrations: 0001_users, 0002_/m)
  const refused = await hearthIn(empty, 'list-houses')
  expect(refused.code).toBe(1)
  expect(refused.err).toMatch(/^[0-9]+ migrations pending: run "npm run hearth -- migrate" first\.$/)
  const migrated = await hearthIn(empty, 'migrate')
  expect(migrated.code).toBe(0)
  expect(migrated.out).toMatch(/^Migrated to 0001_users\.\nMigrated to 0002_/)
  const again = await hearthIn(empty, 'migrate')
  expect(again).toMatchObject({ code: 0, out: 'The database is in the form of this version already.' })
  expect((await hearthIn(empty, 'doctor')).code).toBe(0)
})

test('doctor, migrate and a start say that the database is of a newer version, and leave it as it is', async () => {
  const applied = 'insert into kysely_migration (name, timestamp) values'
  await onServer(empty.DATABASE_URL, `${applied} ('9998_gold', now()), ('9999_silver', now())`)
  onTestFinished(() =>
    onServer(empty.DATABASE_URL, `delete from kysely_migration where name in ('9998_gold', '9999_silver')`),
  )
  const sentence =
    'The database is of a newer version of Hearth, which added 9998_gold, 9999_silver: start that version.'
  const refused = await hearthIn(empty, 'doctor')
  expect(refused.code).toBe(1)
  expect(refused.out).toContain(`wrong  ${sentence}`)
  expect(await hearthIn(empty, 'migrate')).toMatchObject({ code: 1, err: sentence })
  const start = await failToStart(folder, { DATABASE_URL: empty.DATABASE_URL })
  expect(start).toEqual({ code: 1, stderr: `${sentence}\n` })
})

test('doctor says that the database cannot be reached and that the store cannot be written', async () => {
  const { code, out, err } = await hearthIn(
    { ...environment(), DATABASE_URL: 'postgres://127.0.0.1:1/none', STORAGE_URL: 'file:///dev/null/files' },
    'doctor',
  )
  expect([code, err]).toEqual([1, '2 things to put right.'])
  expect(out).toMatch(/^wrong {2}DATABASE_URL cannot be used: /m)
  expect(out).toMatch(/^wrong {2}STORAGE_URL, or DATA_DIR, cannot be used for files: /m)
})

test('doctor tries the mail server and Redis', async () => {
  const [mail, redis] = await Promise.all([smtpServer(), startRedis()])
  const there = { ...environment(), SMTP_URL: mail.url, REDIS_URL: redis.url }
  const good = await hearthIn(there, 'doctor')
  await Promise.all([mail.close(), redis.stop()])
  expect(good).toMatchObject({ code: 0, err: '' })
  expect(good.out).toMatch(/^ok {5}The mail server answers\.$/m)
  expect(good.out).toMatch(/^ok {5}Redis answers\.$/m)
  const { code, out } = await hearthIn(there, 'doctor')
  expect(code).toBe(1)
  expect(out).toMatch(/^wrong {2}SMTP_URL cannot be used: .*ECONNREFUSED/m)
  expect(out).toMatch(/^wrong {2}REDIS_URL cannot be used: .*ECONNREFUSED/m)
})

test('doctor names a Redis that cannot count rate limits', async () => {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  redis.refuseScripts("READONLY You can't write against a read only replica.")
  const { code, out } = await hearthIn({ ...environment(), REDIS_URL: redis.url }, 'doctor')
  expect(code).toBe(1)
  expect(out).toMatch(/^wrong {2}REDIS_URL cannot be used: READONLY /m)
})

test('of a host with several addresses, none of which answers, doctor says what each of them does', async () => {
  const addresses = [
    { address: '127.0.0.2', family: 4 } as const,
    { address: '127.0.0.1', family: 4 } as const,
  ]
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((...args: unknown[]) => {
    process.nextTick(args.at(-1) as () => void, null, addresses)
  }) as unknown as typeof dns.lookup)
  onTestFinished(() => lookup.mockRestore())
  const { out } = await hearthIn({ ...environment(), REDIS_URL: 'redis://several.test:1' }, 'doctor')
  expect(out).toMatch(
    /^wrong {2}REDIS_URL cannot be used: connect ECONNREFUSED 127\.0\.0\.2:1, connect ECONNREFUSED 127\.0\.0\.1:1\.$/m,
  )
})

test('without DATABASE_URL the embedded database is used: none yet, then started, then one that runs', async () => {
  const own = { DATA_DIR: folder }
  const first = await hearthIn(own, 'doctor')
  expect(first.out).toContain(`note   There is no database in ${folder} yet: the first start makes it.`)
  expect((await hearthIn(own, 'migrate')).code).toBe(0)
  const postgres = await startPostgres(join(folder, 'postgres'))
  try {
    expect(await hearthIn(own, 'list-houses')).toMatchObject({ code: 0, out: 'There are no houses.' })
  } finally {
    await postgres.stop()
  }
})
