import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** What is counted (PROTOCOL 1.7), and how much of it is allowed unless a variable says otherwise. */
const defaultLimits = {
  messages: '10/s burst 20',
  auth: '5/min burst 5',
  registration: '10/h burst 10',
  requests: '50/s burst 100',
  address: '50/s burst 100',
  gateway: '20/min burst 20',
} as const
export type Bucket = keyof typeof defaultLimits

function LimitOf(bucket: Bucket) {
  return Type.String({
    pattern: '^[1-9][0-9]{0,5}/(s|min|h) burst [1-9][0-9]{0,5}$',
    default: defaultLimits[bucket],
    description: 'a rate and a burst, like "10/s burst 20", per s, min or h',
  })
}

const Environment = Type.Object({
  HOST: Type.String({ minLength: 1, default: '127.0.0.1', description: 'address to listen on' }),
  PORT: Type.String({
    pattern: '^[0-9]{1,5}$',
    default: '8080',
    description: 'a port, 0 to 65535; 0 takes a free one',
  }),
  DATA_DIR: Type.String({
    minLength: 1,
    default: './data',
    description: 'a folder for the database and the files',
  }),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      description: 'a postgres:// address; without one the server runs its own',
    }),
  ),
  PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+(/.*)?$',
      description: 'the http(s):// address that clients reach the server at',
    }),
  ),
  STORAGE_URL: Type.Optional(
    Type.String({
      pattern: '^(file:///.+|s3://[a-z0-9][a-z0-9.-]+(/[^?#]*)?([?][^#]*)?)$',
      description: 'a file:///folder, or s3://bucket/prefix?region=…&endpoint=…',
    }),
  ),
  REDIS_URL: Type.Optional(
    Type.String({
      pattern: '^rediss?://[^/]',
      description: 'a redis:// or rediss:// address, by which processes share what happens',
    }),
  ),
  WORKERS: Type.String({
    pattern: '^([1-9]|[1-5][0-9]|6[0-4])$',
    default: '1',
    description: 'a number of processes that share the port, 1 to 64',
  }),
  RATE_LIMIT: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description: 'on or off',
  }),
  RATE_LIMIT_MESSAGES: LimitOf('messages'),
  RATE_LIMIT_AUTH: LimitOf('auth'),
  RATE_LIMIT_REGISTRATION: LimitOf('registration'),
  RATE_LIMIT_REQUESTS: LimitOf('requests'),
  RATE_LIMIT_ADDRESS: LimitOf('address'),
  RATE_LIMIT_GATEWAY: LimitOf('gateway'),
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

/** The variables that are read. */
export const settingNames = Object.keys(Environment.properties)

export type Config = {
  host: string
  port: number
  /** Undefined: processes that share a port share what happens by the database. */
  redisUrl: string | undefined
  /** How many processes share the port. */
  workers: number
  /** Absolute path. */
  dataDir: string
  /** Undefined: the server starts its own PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined
  /** Without a slash at its end. Undefined: the address it listens on. */
  publicUrl: string | undefined
  /** Where pictures and attachments lie: a `file:` or `s3:` address. */
  storageUrl: string
  rateLimit: boolean
  /** How much of each is allowed: `burst` at once, and one more each `refillMs`. */
  rateLimits: Record<Bucket, { burst: number; refillMs: number }>
  /** Who is believed about where a request came from: so many proxies (0: nobody), or those of these networks. */
  trustProxy: number | readonly string[]
  /** Undefined: no mail goes out. */
  smtpUrl: string | undefined
  /** The sender of mail. */
  mailFrom: string
  /** What /metrics asks for. Undefined: it answers this machine alone. */
  metricsToken: string | undefined
  logLevel: string
}

/** A variable of the environment that cannot be used; the message is one sentence for the operator. */
export class ConfigError extends Error {}

/** Reads the settings from an environment. An empty variable counts as absent. Throws `ConfigError` for a wrong one. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given: Record<string, string> = {}
  for (const name of settingNames) {
    const value = environment[name]
    if (value !== undefined && value !== '') given[name] = value
  }
  const values = Value.Default(Environment, given)
  const wrong = Value.Errors(Environment, values).First()
  if (wrong) throw notUsable(wrong.path.slice(1).split('/')[0] ?? '', given)
  const settings = values as Static<typeof Environment>
  if (Number(settings.PORT) > 65535) throw notUsable('PORT', given)
  const trustProxy = readProxies(settings.TRUST_PROXY)
  if (trustProxy === undefined) throw notUsable('TRUST_PROXY', given)
  return {
    host: settings.HOST,
    port: Number(settings.PORT),
    redisUrl: settings.REDIS_URL,
    workers: Number(settings.WORKERS),
    dataDir: resolve(settings.DATA_DIR),
    databaseUrl: settings.DATABASE_URL,
    publicUrl: settings.PUBLIC_URL?.replace(/\/+$/, ''),
    storageUrl: settings.STORAGE_URL ?? pathToFileURL(join(resolve(settings.DATA_DIR), 'files')).href,
    rateLimit: settings.RATE_LIMIT === 'on',
    rateLimits: {
      messages: readLimit(settings.RATE_LIMIT_MESSAGES),
      auth: readLimit(settings.RATE_LIMIT_AUTH),
      registration: readLimit(settings.RATE_LIMIT_REGISTRATION),
      requests: readLimit(settings.RATE_LIMIT_REQUESTS),
      address: readLimit(settings.RATE_LIMIT_ADDRESS),
      gateway: readLimit(settings.RATE_LIMIT_GATEWAY),
    },
    trustProxy,
    smtpUrl: settings.SMTP_URL,
    mailFrom: settings.MAIL_FROM ?? `hearth@${new URL(settings.PUBLIC_URL ?? 'http://localhost').hostname}`,
    metricsToken: settings.METRICS_TOKEN,
    logLevel: settings.LOG_LEVEL,
  }
}

const unitMs: Record<string, number> = { s: 1_000, min: 60_000, h: 3_600_000 }

function readLimit(text: string): { burst: number; refillMs: number } {
  const [, count, unit, burst] = /^([0-9]+)\/([a-z]+) burst ([0-9]+)$/.exec(text)!
  return { burst: Number(burst), refillMs: unitMs[unit!]! / Number(count) }
}

const namedNetworks: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** A number of proxies, or the networks they are in; undefined when the text is neither. */
function readProxies(text: string): number | string[] | undefined {
  if (/^([0-9]|1[0-6])$/.test(text)) return Number(text)
  const networks = text.split(',').flatMap((part) => namedNetworks[part.trim()] ?? part.trim())
  return networks.every(isNetwork) ? networks : undefined
}

/** Whether a text is an address, alone or with the length of its network's prefix. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  return (
    prefix === undefined ||
    (/^(0|[1-9][0-9]{0,2})$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
  )
}

function notUsable(name: string, given: Record<string, string>): ConfigError {
  const wanted = Environment.properties[name as keyof typeof Environment.properties]?.description
  const shown = /URL|TOKEN/.test(name) ? 'its value' : `"${given[name]}"`
  return new ConfigError(`${name} is not usable: ${shown} is not ${wanted}.`)
}
