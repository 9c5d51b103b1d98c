import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import proxyAddr from '@fastify/proxy-addr'
import type { Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Bucket, Environment, settingNames } from './config/environment.ts'
import { DatabaseUrlError, hasSeveralHosts, readDatabaseHosts } from './database/servers/database-url.ts'

export type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: string
  /** Whether a login takes over the account with the same verified e-mail address. */
  linksByEmail: boolean
}

export type Config = {
  host: string
  port: number
  /** Undefined: the processes of the installation exchange events over the database. */
  redisUrl: string | undefined
  /** How many processes share the port. */
  workers: number
  /** Absolute path. */
  dataDir: string
  /** Undefined: the server starts its own PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined
  /** The most bytes of a database of DATABASE_URL. Undefined: not limited. */
  databaseMaxSize: number | undefined
  /** Without a slash at its end. Undefined: the address it listens on. */
  publicUrl: string | undefined
  /** Addresses of earlier times, which messages still name, as origins. */
  formerUrls: readonly string[]
  /** Where pictures and attachments are stored: a `file:` or `s3:` URL. */
  storageUrl: string
  /** In bytes. Undefined: 1 GiB or 5 % of the disk, the smaller. */
  storageReserve: number | undefined
  /** Who may create an account: everybody, who has an invite, or nobody over HTTP. */
  registration: 'open' | 'invite' | 'closed'
  houseCreation: 'everybody' | 'admins'
  /** Undefined: messages stay. */
  messagesMaxAgeMs: number | undefined
  /** The provider of OpenID Connect; undefined: there is none. */
  oidc: OidcSettings | undefined
  rateLimit: boolean
  /** Token buckets: at most `burst` tokens, refilled by one every `refillMs`. */
  rateLimits: Record<Bucket, { burst: number; refillMs: number }>
  /** In bytes of the attachments of an account: a day's worth may go at once. */
  uploads: { burst: number; refillMs: number }
  /** Text that a person writes, in bytes (docs/api.md#rate-limits). */
  text: { burst: number; refillMs: number }
  /** How long entries of audit logs are kept. */
  auditLogDays: number
  /** Whether the web client is served. */
  web: boolean
  /**
   * The proxies whose `X-Forwarded-For` is trusted: how many there are in a row (0: none), or their addresses and
   * networks, some of which have a name.
   */
  trustProxy: number | readonly string[]
  /** Undefined: no mail is sent. */
  smtpUrl: string | undefined
  /** The sender of mail. */
  mailFrom: string
  /** Where push services reach the operator: a `mailto:` or `https:` address. Undefined: push is not offered. */
  vapidSubject: string | undefined
  /** The token that /metrics requires. Undefined: it answers requests from this machine only. */
  metricsToken: string | undefined
  logLevel: string
}

/** An environment variable has a value that cannot be used; the message is one sentence for the operator. */
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
  const broken = Object.keys(given).find((name) => /_(?:URL|ISSUER)$/.test(name) && !isAddress(given[name]!))
  if (broken !== undefined) throw notUsable(broken, given)
  const formerUrls = readOrigins(settings.FORMER_URLS ?? '')
  if (formerUrls === undefined) throw notUsable('FORMER_URLS', given)
  checkDatabaseHosts(settings.DATABASE_URL)
  checkPublicPath(settings)
  return {
    host: settings.HOST,
    port: Number(settings.PORT),
    redisUrl: settings.REDIS_URL,
    workers: Number(settings.WORKERS),
    dataDir: resolve(settings.DATA_DIR),
    databaseUrl: settings.DATABASE_URL,
    databaseMaxSize:
      settings.DATABASE_MAX_SIZE === undefined ? undefined : readSize(settings.DATABASE_MAX_SIZE),
    publicUrl: settings.PUBLIC_URL?.replace(/\/+$/, ''),
    formerUrls,
    storageUrl: settings.STORAGE_URL ?? filesUrl(resolve(settings.DATA_DIR)),
    storageReserve: settings.STORAGE_RESERVE === undefined ? undefined : readSize(settings.STORAGE_RESERVE),
    registration: settings.REGISTRATION,
    houseCreation: settings.HOUSE_CREATION,
    messagesMaxAgeMs:
      settings.MESSAGES_MAX_AGE === undefined ? undefined : readAge(settings.MESSAGES_MAX_AGE),
    oidc: readOidc(settings),
    rateLimit: settings.RATE_LIMIT === 'on',
    rateLimits: {
      messages: readLimit(settings.RATE_LIMIT_MESSAGES),
      reactions: readLimit(settings.RATE_LIMIT_REACTIONS),
      auth: readLimit(settings.RATE_LIMIT_AUTH),
      registration: readLimit(settings.RATE_LIMIT_REGISTRATION),
      mails: readLimit(settings.RATE_LIMIT_MAILS),
      privateRooms: readLimit(settings.RATE_LIMIT_PRIVATE_ROOMS),
      requests: readLimit(settings.RATE_LIMIT_REQUESTS),
      address: readLimit(settings.RATE_LIMIT_ADDRESS),
      addressUsers: readLimit(settings.RATE_LIMIT_ADDRESS_USERS),
      gateway: readLimit(settings.RATE_LIMIT_GATEWAY),
      files: readLimit(settings.RATE_LIMIT_FILES),
      webhooks: readLimit(settings.RATE_LIMIT_WEBHOOKS),
    },
    uploads: readDailySize(settings.RATE_LIMIT_UPLOADS),
    text: readDailySize(settings.RATE_LIMIT_TEXT),
    auditLogDays: Number(settings.AUDIT_LOG_DAYS),
    web: settings.WEB === 'on',
    trustProxy,
    smtpUrl: settings.SMTP_URL,
    mailFrom: readMailFrom(settings),
    vapidSubject: readVapidSubject(settings),
    metricsToken: settings.METRICS_TOKEN,
    logLevel: settings.LOG_LEVEL,
  }
}

function readMailFrom(settings: Static<typeof Environment>): string {
  return settings.MAIL_FROM ?? `hearth@${new URL(settings.PUBLIC_URL ?? 'http://localhost').hostname}`
}

/** `VAPID_SUBJECT`, or the address that mail comes from, where the server sends mail. */
function readVapidSubject(settings: Static<typeof Environment>): string | undefined {
  if (settings.VAPID_SUBJECT !== undefined) return settings.VAPID_SUBJECT
  if (settings.SMTP_URL === undefined && settings.MAIL_FROM === undefined) return undefined
  const from = readMailFrom(settings)
  return `mailto:${/<([^<>]+)>\s*$/.exec(from)?.[1] ?? from.trim()}`
}

const ageUnitMs: Record<string, number> = { h: 3_600_000, d: 86_400_000 }

/** The ms of a text like `90d`. */
function readAge(text: string): number {
  return Number(text.slice(0, -1)) * ageUnitMs[text.at(-1)!]!
}

/** All of a provider's settings, or none. */
function readOidc(settings: Static<typeof Environment>): OidcSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = settings
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) return undefined
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    throw new ConfigError(
      'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are set together, or not at all.',
    )
  }
  return { issuer, clientId, clientSecret, linksByEmail: settings.OIDC_LINK_BY_EMAIL === 'on' }
}

/** The folder for files where `STORAGE_URL` names no other place. */
export function filesUrl(dataDir: string): string {
  return pathToFileURL(join(dataDir, 'files')).href
}

/** Whether the libraries that take an address can read it. */
function isAddress(text: string): boolean {
  // pg takes an address without a host, too: `postgres://user:password@/hearth?host=/run/postgresql`.
  if (!hasSeveralHosts(text) && !URL.canParse(text.replace('@/', '@localhost/'))) return false
  if (text.startsWith('file:')) return isFilePath(text)
  if (!text.startsWith('s3:')) return true
  const { endpoint, region: _, ...unknown } = Object.fromEntries(new URL(text).searchParams)
  return Object.keys(unknown).length === 0 && (endpoint === undefined || isHttpAddress(endpoint))
}

/** Throws `ConfigError` where the servers of a database address cannot be read. */
function checkDatabaseHosts(databaseUrl: string | undefined): void {
  try {
    if (databaseUrl !== undefined) readDatabaseHosts(databaseUrl)
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error
    throw new ConfigError(`DATABASE_URL is not usable: ${error.message}.`)
  }
}

/** The origins of a list of addresses; undefined if one of them is none. */
function readOrigins(list: string): string[] | undefined {
  const addresses = list === '' ? [] : list.split(',').map((each) => each.trim())
  return addresses.every((each) => URL.canParse(each))
    ? addresses.map((each) => new URL(each).origin)
    : undefined
}

/** Throws `ConfigError` where the web client, which has to be at the root of its origin, would be served below a path. */
function checkPublicPath({ PUBLIC_URL, WEB }: Static<typeof Environment>): void {
  if (PUBLIC_URL === undefined || WEB === 'off' || /^\/*$/.test(new URL(PUBLIC_URL).pathname)) return
  throw new ConfigError(
    'PUBLIC_URL is not usable: the web client cannot be loaded below a path. Leave the path out, or set WEB=off.',
  )
}

function isFilePath(address: string): boolean {
  try {
    return fileURLToPath(address) !== ''
  } catch {
    return false
  }
}

function isHttpAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text)
}

const unitMs: Record<string, number> = { s: 1_000, min: 60_000, h: 3_600_000 }

function readLimit(text: string): { burst: number; refillMs: number } {
  const [, count, unit, burst] = /^([0-9]+)\/([a-z]+) burst ([0-9]+)$/.exec(text)!
  return { burst: Number(burst), refillMs: unitMs[unit!]! / Number(count) }
}

const unitBytes: Record<string, number> = { MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 }

/** The bytes of a text like `1GiB`. */
function readSize(text: string): number {
  const [, count, unit = 'MiB'] = /^([0-9]+)([MGT]iB)?/.exec(text)!
  return Number(count) * unitBytes[unit]!
}

/** The limit of a text like `1GiB/day`. */
function readDailySize(text: string): { burst: number; refillMs: number } {
  const bytes = readSize(text)
  return { burst: bytes, refillMs: 86_400_000 / bytes }
}

/** A number of proxies, or their addresses and networks; undefined when the text is neither. */
function readProxies(text: string): number | string[] | undefined {
  if (/^([0-9]|1[0-6])$/.test(text)) return Number(text)
  const proxies = text.split(',').map((each) => each.trim())
  // The library takes `17` and `10.0.0` for addresses, too.
  const areWritten = proxies.every((each) => /^[a-z]+$/.test(each) || isIP(each.split('/')[0]!) !== 0)
  try {
    proxyAddr.compile(proxies)
    return areWritten ? proxies : undefined
  } catch {
    return undefined
  }
}

function notUsable(name: string, given: Record<string, string>): ConfigError {
  const wanted = Environment.properties[name as keyof typeof Environment.properties]?.description
  const shown = /URL|TOKEN|SECRET/.test(name) ? 'its value' : `"${given[name]}"`
  return new ConfigError(`${name} is not usable: ${shown} is not ${wanted}.`)
}
