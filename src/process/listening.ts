import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type Config, ConfigError } from '../config.ts'

/**
 * The address of a host. For `localhost` Fastify would open a second server, which limits and shutdown do not cover.
 */
export async function addressOf(host: string): Promise<string> {
  return host === 'localhost' ? (await lookup(host, { order: 'ipv4first' })).address : host
}

/** Throws `ConfigError` where HOST and PORT cannot be listened on, before a database is made for them. */
export async function requireFreePort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  const server = createServer()
  server.listen({ host: await addressOf(host), port })
  await once(server, 'listening').catch(failToListen)
  server.close()
  await once(server, 'close')
}

/** Throws `ConfigError` that says what to set. */
export function failToListen({ code, message }: NodeJS.ErrnoException): never {
  const advice = adviceBy[code ?? ''] ?? 'Set HOST to an address of this machine.'
  throw new ConfigError(`HOST and PORT cannot be listened on: ${message}. ${advice}`)
}

const adviceBy: Record<string, string> = {
  EADDRINUSE: 'Set PORT to a free one (0 takes any).',
  EACCES: 'This user may not listen on that port: set PORT to one from 1024 on, with a proxy before it.',
}
