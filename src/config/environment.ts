import { Type } from '@sinclair/typebox'

/** The rate limits (docs/api.md#rate-limits), and their defaults. */
const defaultLimits = {
  messages: '10/s burst 20',
  reactions: '5/s burst 20',
  auth: '5/min burst 5',
  registration: '10/h burst 10',
  mails: '5/h burst 5',
  privateRooms: '20/min burst 20',
  requests: '50/s burst 100',
  address: '50/s burst 100',
  addressUsers: '1000/s burst 10000',
  gateway: '20/min burst 20',
  files: '50/s burst 500',
  webhooks: '5/s burst 10',
} as const
export type Bucket = keyof typeof defaultLimits

function LimitOf(bucket: Bucket) {
  return Type.String({
    pattern: '^[1-9][0-9]{0,5}/(s|min|h) burst [1-9][0-9]{0,5}$',
    default: defaultLimits[bucket],
    description: 'a rate and a burst, like "10/s burst 20", per s, min or h',
  })
}

/** The environment variables. A `description` completes the sentence in which the server refuses a value. */
export const Environment = Type.Object({
  HOST: Type.String({ default: '127.0.0.1', description: 'address to listen on' }),
  PORT: Type.String({
    pattern: '^[0-9]{1,5}$',
    default: '8080',
    description: 'a port, 0 to 65535; 0 takes a free one',
  }),
  DATA_DIR: Type.String({
    default: './data',
    description: 'a folder for the database and the files',
  }),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      description:
        'a postgres:// address (what is special in a password as %XX); without one the server runs its own',
    }),
  ),
  DATABASE_MAX_SIZE: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,5}(MiB|GiB|TiB)$',
      description: 'a size like "20GiB" that the database of DATABASE_URL may take',
    }),
  ),
  PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#@\\s]+(/[^?#\\s]*)?$',
      description: 'the http(s):// address that clients reach the server at, without ?, # or a password',
    }),
  ),
  FORMER_URLS: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#@,\\s]+/?(\\s*,\\s*https?://[^/?#@,\\s]+/?)*$',
      description: 'a list of http(s):// addresses without a path, separated by commas',
    }),
  ),
  STORAGE_URL: Type.Optional(
    Type.String({
      pattern: '^(file:///.+|s3://[a-z0-9][a-z0-9.-]+(/[^?#]*)?([?][^#]*)?)$',
      description: 'a file:///folder, or s3://bucket/prefix?region=…&endpoint=…',
    }),
  ),
  STORAGE_RESERVE: Type.Optional(
    Type.String({
      pattern: '^(0|[1-9][0-9]{0,5}(MiB|GiB|TiB))$',
      description: 'a size like "512MiB" or "1GiB" that stays free on the disk, or 0',
    }),
  ),
  REDIS_URL: Type.Optional(
    Type.String({
      pattern: '^rediss?://[^/?]+(/[0-9]{0,4})?([?].*)?$',
      description:
        'a redis:// or rediss:// address, by which processes exchange events and count rate limits',
    }),
  ),
  WORKERS: Type.String({
    pattern: '^([1-9]|[1-5][0-9]|6[0-4])$',
    default: '1',
    description: 'a number of processes that share the port, 1 to 64',
  }),
  REGISTRATION: Type.Union([Type.Literal('open'), Type.Literal('invite'), Type.Literal('closed')], {
    default: 'open',
    description: 'open, invite or closed',
  }),
  HOUSE_CREATION: Type.Union([Type.Literal('everybody'), Type.Literal('admins')], {
    default: 'everybody',
    description: 'everybody or admins',
  }),
  MESSAGES_MAX_AGE: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,4}[hd]$',
      description: 'an age in hours or days, like "36h" or "90d"; without one messages stay',
    }),
  ),
  OIDC_ISSUER: Type.Optional(
    Type.String({
      pattern: '^(https://[^/?#@\\s]+|http://(127\\.0\\.0\\.1|localhost)(:[0-9]{1,5})?)(/[^?#\\s]*)?$',
      description: 'the https:// address of an OpenID Connect provider (http:// on this machine only)',
    }),
  ),
  OIDC_CLIENT_ID: Type.Optional(
    Type.String({ pattern: '^[!-~]{1,255}$', description: 'the id that the provider has given this server' }),
  ),
  OIDC_CLIENT_SECRET: Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,1024}$',
      description: 'what the provider has given with OIDC_CLIENT_ID, without blanks',
    }),
  ),
  OIDC_LINK_BY_EMAIL: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'off',
    description: 'on or off',
  }),
  RATE_LIMIT: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description: 'on or off',
  }),
  RATE_LIMIT_MESSAGES: LimitOf('messages'),
  RATE_LIMIT_REACTIONS: LimitOf('reactions'),
  RATE_LIMIT_AUTH: LimitOf('auth'),
  RATE_LIMIT_REGISTRATION: LimitOf('registration'),
  RATE_LIMIT_MAILS: LimitOf('mails'),
  RATE_LIMIT_PRIVATE_ROOMS: LimitOf('privateRooms'),
  RATE_LIMIT_REQUESTS: LimitOf('requests'),
  RATE_LIMIT_ADDRESS: LimitOf('address'),
  RATE_LIMIT_ADDRESS_USERS: LimitOf('addressUsers'),
  RATE_LIMIT_GATEWAY: LimitOf('gateway'),
  RATE_LIMIT_FILES: LimitOf('files'),
  RATE_LIMIT_WEBHOOKS: LimitOf('webhooks'),
  RATE_LIMIT_UPLOADS: Type.String({
    pattern: '^[1-9][0-9]{0,5}(MiB|GiB|TiB)/day$',
    default: '1GiB/day',
    description: 'a size for each day, like "1GiB/day"',
  }),
  RATE_LIMIT_TEXT: Type.String({
    pattern: '^[1-9][0-9]{0,5}(MiB|GiB|TiB)/day$',
    default: '128MiB/day',
    description: 'a size for each day, like "128MiB/day"',
  }),
  AUDIT_LOG_DAYS: Type.String({
    pattern: '^[1-9][0-9]{0,3}$',
    default: '90',
    description: 'a number of days, 1 to 9999',
  }),
  WEB: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description: 'on or off',
  }),
  TRUST_PROXY: Type.String({
    default: '0',
    description:
      'a number of proxies, 0 to 16, or their addresses: IPs, networks like 10.0.0.0/8, loopback, linklocal, uniquelocal',
  }),
  SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://[^/]',
      description: 'an smtp:// or smtps:// address; without one no mail goes out',
    }),
  ),
  MAIL_FROM: Type.Optional(
    Type.String({ pattern: '^[^@]+@[^@]+$', description: 'the address that mail comes from' }),
  ),
  VAPID_SUBJECT: Type.Optional(
    Type.String({
      pattern: '^(mailto:[^\\s@<>]+@[^\\s@<>]+|https://[^/?#@\\s]+(/[^?#\\s]*)?)$',
      description: 'a mailto: or https:// address at which push services reach the operator',
    }),
  ),
  METRICS_TOKEN: Type.Optional(
    Type.String({
      pattern: '^[!-~]{16,}$',
      description: '16 characters or more, without spaces; without one /metrics answers this machine alone',
    }),
  ),
  LOG_LEVEL: Type.Union(
    ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'].map((level) => Type.Literal(level)),
    { default: 'info', description: 'silent, fatal, error, warn, info, debug or trace' },
  ),
})

/** The names of the variables. */
export const settingNames = Object.keys(Environment.properties)
