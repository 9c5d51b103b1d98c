import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Bucket, settingNames } from '../src/config/environment.ts'
import { type Config, ConfigError, readConfig } from '../src/config.ts'

test('an empty environment gives the defaults, and an empty variable counts as absent', () => {
  const config = readConfig({ HOST: '', PORT: '' })
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, rateLimit: true, logLevel: 'info' })
  expect(config.databaseUrl).toBeUndefined()
  expect(config.publicUrl).toBeUndefined()
})

type Case = {
  wrong: string[]
  right: string
  /** What else has to be set. */
  with?: Record<string, string>
  gives: Partial<Config>
}

const oidcClient = { OIDC_CLIENT_ID: 'hearth', OIDC_CLIENT_SECRET: 'secret' }
const oidcDefaults = { clientId: 'hearth', clientSecret: 'secret', linksByEmail: false }

/** Every variable: values that are refused, and one that is taken with what it becomes. */
const cases: Record<string, Case> = {
  HOST: { wrong: [], right: '::1', gives: { host: '::1' } },
  PORT: { wrong: ['eighty', '65536', '-1'], right: '65535', gives: { port: 65_535 } },
  DATA_DIR: { wrong: [], right: '/srv/hearth', gives: { dataDir: '/srv/hearth' } },
  DATABASE_URL: {
    wrong: [
      'mysql://localhost',
      'postgres://db:99999/hearth',
      'postgres://me:a/b@db/hearth',
      'postgres://me:a,b/c@db/hearth',
      'postgres://one,/hearth',
      'postgres://one,two:99999/hearth',
      'postgres://one,two/hearth?target_session_attrs=master',
      'postgres://one/hearth?target_session_attrs=',
    ],
    right: 'postgresql://me:secret@one:5433,[::1]/hearth?target_session_attrs=read-write',
    gives: { databaseUrl: 'postgresql://me:secret@one:5433,[::1]/hearth?target_session_attrs=read-write' },
  },
  FORMER_URLS: {
    wrong: [
      'old.example.org',
      'ftp://old.example.org',
      'http://[',
      'https://old.example.org/chat',
      'https://old.example.org,',
      'https://old.example.org https://older.example.org',
      'https://me:secret@old.example.org',
    ],
    right: 'http://old.example.org/, https://older.example.org:8443',
    gives: { formerUrls: ['http://old.example.org', 'https://older.example.org:8443'] },
  },
  PUBLIC_URL: {
    wrong: [
      'chat.example.org',
      'ftp://chat.example.org',
      'http://[',
      'https://chat.example.org:99999',
      'https://chat.example.org/?page=1',
      'https://chat.example.org/#top',
      'https://me:secret@chat.example.org',
      'https://chat.example.org ',
    ],
    right: 'https://chat.example.org:8443//',
    gives: { publicUrl: 'https://chat.example.org:8443', mailFrom: 'hearth@chat.example.org' },
  },
  STORAGE_URL: {
    wrong: [
      '/srv/files',
      'http://files.example.org',
      'file:///srv/%zz',
      'file://host',
      's3://',
      's3:///x',
      's3://B/x',
      's3://bucket?endpoint=files.example.org',
      's3://bucket?endpoint=localhost:9000',
      's3://bucket?endpoint=http://[',
      's3://bucket?regoin=eu-west-1',
    ],
    right: 's3://bucket/prefix?region=eu-west-1&endpoint=http://files.example.org:9000',
    gives: { storageUrl: 's3://bucket/prefix?region=eu-west-1&endpoint=http://files.example.org:9000' },
  },
  DATABASE_MAX_SIZE: {
    wrong: ['0', '1', '1GB', '1.5GiB'],
    right: '20GiB',
    gives: { databaseMaxSize: 20 * 2 ** 30 },
  },
  STORAGE_RESERVE: {
    wrong: ['1', '1GB', '1.5GiB', '-1GiB', '5%'],
    right: '512MiB',
    gives: { storageReserve: 2 ** 29 },
  },
  REDIS_URL: {
    wrong: ['http://127.0.0.1', 'redis://', 'redis://cache:99999', 'redis://cache/name'],
    right: 'rediss://cache',
    gives: { redisUrl: 'rediss://cache' },
  },
  WORKERS: { wrong: ['0', '65', 'many'], right: '64', gives: { workers: 64 } },
  REGISTRATION: { wrong: ['on', 'invites'], right: 'invite', gives: { registration: 'invite' } },
  HOUSE_CREATION: { wrong: ['nobody'], right: 'admins', gives: { houseCreation: 'admins' } },
  MESSAGES_MAX_AGE: {
    wrong: ['0d', '90', '90 d', '3w', '-1d', '100000d'],
    right: '36h',
    gives: { messagesMaxAgeMs: 129_600_000 },
  },
  OIDC_ISSUER: {
    wrong: ['id.example.org', 'http://id.example.org', 'https://id.example.org/?x=1', 'https://id:99999'],
    right: 'https://id.example.org/realms/chat',
    with: oidcClient,
    gives: { oidc: { issuer: 'https://id.example.org/realms/chat', ...oidcDefaults } },
  },
  OIDC_CLIENT_ID: {
    wrong: ['with blanks'],
    right: 'hearth',
    with: { OIDC_ISSUER: 'http://127.0.0.1:3000', OIDC_CLIENT_SECRET: 'secret' },
    gives: { oidc: { issuer: 'http://127.0.0.1:3000', ...oidcDefaults } },
  },
  OIDC_CLIENT_SECRET: {
    wrong: ['with blanks'],
    right: 'secret',
    with: { OIDC_ISSUER: 'http://localhost', OIDC_CLIENT_ID: 'hearth' },
    gives: { oidc: { issuer: 'http://localhost', ...oidcDefaults } },
  },
  OIDC_LINK_BY_EMAIL: {
    wrong: ['yes'],
    right: 'on',
    with: { OIDC_ISSUER: 'http://localhost', ...oidcClient },
    gives: { oidc: { issuer: 'http://localhost', ...oidcDefaults, linksByEmail: true } },
  },
  RATE_LIMIT: { wrong: ['maybe'], right: 'off', gives: { rateLimit: false } },
  RATE_LIMIT_MESSAGES: limitCase('messages'),
  RATE_LIMIT_REACTIONS: limitCase('reactions'),
  RATE_LIMIT_AUTH: limitCase('auth'),
  RATE_LIMIT_REGISTRATION: limitCase('registration'),
  RATE_LIMIT_MAILS: limitCase('mails'),
  RATE_LIMIT_PRIVATE_ROOMS: limitCase('privateRooms'),
  RATE_LIMIT_REQUESTS: limitCase('requests'),
  RATE_LIMIT_ADDRESS: limitCase('address'),
  RATE_LIMIT_ADDRESS_USERS: limitCase('addressUsers'),
  RATE_LIMIT_GATEWAY: limitCase('gateway'),
  RATE_LIMIT_FILES: limitCase('files'),
  RATE_LIMIT_WEBHOOKS: limitCase('webhooks'),
  RATE_LIMIT_UPLOADS: {
    wrong: ['1GiB', '0MiB/day', '1GB/day', '1GiB/h'],
    right: '2TiB/day',
    gives: { uploads: { burst: 2 ** 41, refillMs: 86_400_000 / 2 ** 41 } },
  },
  RATE_LIMIT_TEXT: {
    wrong: ['1GiB', '0MiB/day', '1GB/day', '1GiB/h'],
    right: '64MiB/day',
    gives: { text: { burst: 2 ** 26, refillMs: 86_400_000 / 2 ** 26 } },
  },
  AUDIT_LOG_DAYS: { wrong: ['0', '-1', '1.5', '10000', 'x'], right: '365', gives: { auditLogDays: 365 } },
  WEB: { wrong: ['maybe'], right: 'off', gives: { web: false } },
  TRUST_PROXY: {
    wrong: [
      '17',
      '-1',
      'yes',
      'proxy.example.org',
      '10.0.0.0/33',
      '10.0.0/8',
      '::1/129',
      '10.0.0.1/8/8',
      '10.0.0.1/',
      '10.0.0.1/1e1',
      '0.0.0.0/0',
      'anywhere',
      '10.0.0.1,',
    ],
    right: '10.0.0.0/8, ::1,loopback',
    gives: { trustProxy: ['10.0.0.0/8', '::1', 'loopback'] },
  },
  SMTP_URL: {
    wrong: ['mail.example.org', 'smtp://', 'smtp://mail:99999'],
    right: 'smtps://mail',
    gives: { smtpUrl: 'smtps://mail', vapidSubject: 'mailto:hearth@localhost' },
  },
  MAIL_FROM: {
    wrong: ['hearth'],
    right: 'Chat <chat@example.org>',
    gives: { mailFrom: 'Chat <chat@example.org>', vapidSubject: 'mailto:chat@example.org' },
  },
  VAPID_SUBJECT: {
    wrong: ['ops@example.org', 'http://example.org', 'mailto:ops', 'https://example.org/?x', 'mailto:a@b c'],
    right: 'mailto:ops@example.org',
    gives: { vapidSubject: 'mailto:ops@example.org' },
  },
  METRICS_TOKEN: {
    wrong: ['fifteen-letters', 'sixteen or more but blanks'],
    right: 'sixteen-or-more!',
    gives: { metricsToken: 'sixteen-or-more!' },
  },
  LOG_LEVEL: { wrong: ['loud'], right: 'trace', gives: { logLevel: 'trace' } },
}

function limitCase(bucket: Bucket): Case {
  const limits = { ...readConfig({}).rateLimits, [bucket]: { burst: 7, refillMs: 30_000 } }
  return {
    wrong: [
      '10',
      '10/s',
      '0/s burst 5',
      '5/day burst 5',
      '5/s burst 0',
      '1000000/s burst 5',
      '5/s burst 5.5',
    ],
    right: '2/min burst 7',
    gives: { rateLimits: limits },
  }
}

const wrongValues = Object.entries(cases).flatMap(([name, { wrong }]) =>
  wrong.map((value) => [name, value] as const),
)

test.each(wrongValues)('%s set to %s is refused with one sentence that names the variable', (name, value) => {
  const read = () => readConfig({ [name]: value })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(new RegExp(`^${name} is not usable: [^\\n]+\\.$`))
})

test.each(settingNames)('%s of the environment is in the configuration', (name) => {
  const { right, gives, with: others } = cases[name]!
  expect(readConfig({ ...others, [name]: right })).toEqual({ ...readConfig({}), ...gives, ...filesOf(gives) })
})

/** Files lie in the data folder unless told otherwise. */
function filesOf({ dataDir }: Partial<Config>): Partial<Config> {
  return dataDir ? { storageUrl: `file://${dataDir}/files` } : {}
}

test('a data folder is the one that is meant where the server starts', () => {
  const dataDir = resolve('here')
  expect(readConfig({ DATA_DIR: 'here' })).toMatchObject({ dataDir, ...filesOf({ dataDir }) })
})

test('files lie in the data folder unless told otherwise, in a folder or a bucket', () => {
  expect(readConfig({ DATA_DIR: '/srv/hearth' }).storageUrl).toBe('file:///srv/hearth/files')
  for (const url of ['file:///srv/files', 's3://bucket', 's3://my-bucket/a/b?region=x&endpoint=http://h:1']) {
    expect(readConfig({ STORAGE_URL: url }).storageUrl).toBe(url)
  }
})

test('PUBLIC_URL has a path only where the web client is not served', () => {
  const PUBLIC_URL = 'https://chat.example.org/chat/'
  expect(readConfig({ PUBLIC_URL, WEB: 'off' }).publicUrl).toBe('https://chat.example.org/chat')
  for (const WEB of ['', 'on']) {
    expect(() => readConfig({ PUBLIC_URL, WEB })).toThrow(
      'PUBLIC_URL is not usable: the web client cannot be loaded below a path. Leave the path out, or set WEB=off.',
    )
  }
})

test('half of the settings of a provider is refused with a sentence', () => {
  expect(() => readConfig({ OIDC_ISSUER: 'https://id.example.org' })).toThrow(
    'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are set together, or not at all.',
  )
})

test('addresses that the libraries take are taken: a socket of PostgreSQL, a database of Redis', () => {
  const databaseUrl = 'postgres://me:secret@/hearth?host=/run/postgresql'
  expect(readConfig({ DATABASE_URL: databaseUrl })).toMatchObject({ databaseUrl })
  const named = 'postgres://me:secret@/hearth?host=one,two&port=5433'
  expect(readConfig({ DATABASE_URL: named })).toMatchObject({ databaseUrl: named })
  const redisUrl = 'redis://:secret@cache:6379/2'
  expect(readConfig({ REDIS_URL: redisUrl })).toMatchObject({ redisUrl })
})

test.each([
  ['DATABASE_URL', 'mysql://me:secret@host'],
  ['METRICS_TOKEN', 'my secret is short'],
  ['OIDC_CLIENT_SECRET', 'my secret has blanks'],
])('of a wrong %s, which may hold a secret, the value is not repeated', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(/^(?!.*secret).* its value is /)
})
