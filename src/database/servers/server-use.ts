import pg from 'pg'
import { nameOf } from './database-url.ts'
import { type Servers, serversOf } from './servers.ts'

/** The servers of an address by `host:port`, the one that is used, and how often another one took its place. */
export type ServerUse = Pick<Servers, 'names' | 'used' | 'moves'>

export function serverUseOf(databaseUrl: string): ServerUse {
  const servers = serversOf(databaseUrl)
  if (servers) return servers
  // It only reads the address, as for a connection.
  const { host, port } = new pg.Client(databaseUrl)
  const name = nameOf(host, port)
  return { names: [name], used: name, moves: 0 }
}
