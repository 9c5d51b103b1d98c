import dns from 'node:dns'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { startPostgres } from '../../src/database/embedded/embedded.ts'
import { environment, hearthIn } from '../support/cli.ts'
import { databaseOn, onServer } from '../support/database-server.ts'
import { startRedis } from '../support/redis.ts'
import { failToStart } from '../support/server.ts'
import { smtpServer } from '../support/smtp.ts'

const server = inject('databaseUrl')
const emptyName = `hearth_doctor_${process.pid}`
const empty = { ...environment(), DATABASE_URL: databaseOn(server, emptyName) }
await onServer(server, `create database ${emptyName}`)
const folder = await mkdtemp(join(tmpdir(), 'hearth-doctor-'))
afterAll(async () => {
  await onServer(server, `drop database if exists ${emptyName} with (force)`)
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
  const found = await hearthIn(empty, 'doctor')
  expect(found.code).toBe(1)
  expect(found.out).toContain(`wrong  ${sentence}`)
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
  const found = [{ address: '127.0.0.2', family: 4 } as const, { address: '127.0.0.1', family: 4 } as const]
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((...args: unknown[]) => {
    process.nextTick(args.at(-1) as () => void, null, found)
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
