/** What a server must be to be used, in the words of libpq. */
const targets = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const
export type Target = (typeof targets)[number]

/** One server of a database address; `url` is the address with this host alone. */
export type Host = { name: string; host: string; port: number; url: string }

/** The servers of a database address, in its order. */
export type DatabaseHosts = { hosts: Host[]; target: Target; connectWithinMs: number }

/** A database address cannot be used; the message completes the sentence "DATABASE_URL is not usable: …". */
export class DatabaseUrlError extends Error {}

const defaultPort = 5432
const connectWithinMs = 1_000
/** What is said of the hosts, and nothing that a single server is to know. */
const hostParameters = ['host', 'port', 'target_session_attrs', 'connect_timeout', 'load_balance_hosts']
const urlParts = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?$/

/**
 * Reads an address with several hosts (`postgres://…@one,two:5433/hearth`), or with `target_session_attrs`, as libpq
 * does. Undefined for any other address, which is left to `pg`. Several hosts without `target_session_attrs` are asked
 * for the one that may be written. Throws `DatabaseUrlError`.
 */
export function readDatabaseHosts(databaseUrl: string): DatabaseHosts | undefined {
  const parts = urlParts.exec(databaseUrl)
  if (!parts) return undefined
  const [, scheme = '', account = '', authority = '', path = '', query = ''] = parts
  const parameters = new URLSearchParams(query)
  const named = parameters.get('host') || authority
  const target = parameters.get('target_session_attrs')
  if (!named.includes(',') && target === null) return undefined
  const hosts = parameters.get('host') ? fromParameters(parameters) : authority.split(',').map(readHost)
  const settings = {
    target: readTarget(target ?? 'read-write'),
    connectWithinMs: readTimeout(parameters.get('connect_timeout')),
  }
  if ((parameters.get('load_balance_hosts') ?? 'disable') !== 'disable') {
    throw new DatabaseUrlError('load_balance_hosts can only be "disable", as all statements go to one server')
  }
  for (const name of hostParameters) parameters.delete(name)
  const rest = parameters.size === 0 ? path : `${path}?${parameters}`
  return {
    ...settings,
    hosts: hosts.map(({ host, port }) => {
      const url = `${scheme}${account}${inUrl(host)}:${port}${rest}`
      if (!URL.canParse(url)) throw brokenHost()
      return { name: nameOf(host, port), host, port, url }
    }),
  }
}

/** The name of a server, for people. */
export function nameOf(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Whether an address names several hosts before its path, which neither `URL` nor `pg` can read. */
export function hasSeveralHosts(databaseUrl: string): boolean {
  return urlParts.exec(databaseUrl)?.[3]?.includes(',') ?? false
}

/** The address of another database on the same servers. */
export function withDatabase(databaseUrl: string, name: string): string {
  return databaseUrl.replace(urlParts, (_all, scheme, account = '', authority, _path, query) => {
    return `${scheme}${account}${authority}/${name}${query === undefined ? '' : `?${query}`}`
  })
}

type Address = { host: string; port: number }

/** A name, an IPv4 address, an IPv6 address in brackets, or the folder of a socket as `%2F…`; with a port or without. */
function readHost(text: string): Address {
  const [, bracketed, plain, port = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(text) ?? []
  const host = bracketed ?? plain
  if (host === undefined) throw brokenHost()
  return { host: decoded(requireHost(host)), port: readPort(port) }
}

/** `?host=one,two&port=5432,5433`: as many ports as hosts, or one for all. */
function fromParameters(parameters: URLSearchParams): Address[] {
  const hosts = parameters.get('host')!.split(',')
  const ports = (parameters.get('port') ?? '').split(',')
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new DatabaseUrlError(`it names ${ports.length} ports for ${hosts.length} hosts`)
  }
  return hosts.map((host, index) => ({
    host: requireHost(host),
    port: readPort(ports.length > 1 ? ports[index]! : ports[0]!),
  }))
}

function requireHost(host: string): string {
  if (host === '') throw new DatabaseUrlError('one of its hosts is empty')
  return host
}

function readPort(text: string): number {
  if (text === '') return defaultPort
  const port = Number(text)
  if (!/^[0-9]{1,5}$/.test(text) || port < 1 || port > 65_535) {
    throw new DatabaseUrlError('one of its ports is not a port')
  }
  return port
}

function readTarget(text: string): Target {
  const target = targets.find((each) => each === text)
  if (!target) throw new DatabaseUrlError(`target_session_attrs is not one of ${targets.join(', ')}`)
  return target
}

/** The most time for connecting to one host, in seconds in the address. */
function readTimeout(text: string | null): number {
  if (text === null) return connectWithinMs
  if (!/^[1-9][0-9]{0,2}$/.test(text)) {
    throw new DatabaseUrlError('connect_timeout is not a number of seconds from 1 to 999')
  }
  return Number(text) * 1_000
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw brokenHost()
  }
}

/** Names no part of the address: where a password is not encoded, it is taken for a host. */
function brokenHost(): DatabaseUrlError {
  return new DatabaseUrlError('one of its hosts is not a host')
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : encodeURIComponent(host)
}
