import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './server.ts'

/** How the way to a server behaves. */
export type Weather =
  | 'fine'
  /** Refuses new connections and closes the present ones. */
  | 'refuse'
  /** Every connection is cut with a reset, the present ones and those that come. */
  | 'reset'
  /** Connections stay open and are accepted, but no data passes in either direction. */
  | 'black hole'
  /** Everything takes a while. */
  | 'slow'

/** The sockets of connections, at both ends. */
type Connections = readonly Socket[]

export type TcpProxy = {
  port: number
  /** Changes the weather, for the present connections as well. */
  set(weather: Weather): Promise<void>
  /** Those there are now. */
  connections(): Connections
  /** From now on nothing comes through these connections, or those there are now; new ones are as the weather is. */
  deafen(connections?: Connections): void
  close(): Promise<void>
}

const slowMs = 50

/** Stands between a client and a server, and breaks the way on command. */
export async function openTcpProxy(target: NetConnectOpts): Promise<TcpProxy> {
  let weather: Weather = 'fine'
  const streams = new Set<Socket>()
  const deaf = new WeakSet<Socket>()
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (weather === 'reset') return void near.resetAndDestroy()
    keep(near)
    if (weather === 'black hole') return void near.on('data', () => {})
    const far = connect({ ...target, allowHalfOpen: true })
    keep(far)
    join(near, far)
    join(far, near)
  })

  function keep(stream: Socket): void {
    streams.add(stream)
    stream.setNoDelay(true)
    stream.on('error', () => {})
    stream.on('close', () => streams.delete(stream))
  }

  function comesThrough(from: Socket): boolean {
    return weather !== 'black hole' && !deaf.has(from)
  }

  function join(from: Socket, to: Socket): void {
    from.on('data', async (chunk) => {
      if (weather === 'slow') {
        from.pause()
        await pause(slowMs)
        from.resume()
      }
      if (comesThrough(from)) to.write(chunk)
    })
    from.on('end', () => comesThrough(from) && to.end())
    from.on('close', () => comesThrough(from) && to.destroy())
  }

  /** With a reset, which Unix sockets do not have. */
  function cut(stream: Socket): void {
    if (stream.remoteAddress === undefined) stream.destroy()
    else stream.resetAndDestroy()
  }

  async function listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  }

  // Not an ephemeral one, which others may get while connections are refused.
  const port = await freePort()
  await listen(port)
  return {
    port,
    connections: () => [...streams],
    deafen(connections = [...streams]) {
      for (const each of connections) deaf.add(each)
    },
    async set(next) {
      const former = weather
      weather = next
      if (next === 'refuse') server.close()
      if (next === 'refuse' || next === 'reset') for (const each of streams) cut(each)
      // A way that lost something in between is of no more use to either side.
      if (former === 'black hole' && next === 'fine') for (const each of streams) each.destroy()
      if (former === 'refuse' && next !== 'refuse') await listen(port)
    },
    async close() {
      for (const each of streams) each.destroy()
      await new Promise((resolve) => (server.listening ? server.close(resolve) : resolve(undefined)))
    },
  }
}

/** Where a database address leads, and the same address by way of a port of loopback. */
export function detour(databaseUrl: string): { target: NetConnectOpts; through(port: number): string } {
  const address = new URL(databaseUrl)
  const folder = decodeURIComponent(address.hostname)
  const port = Number(address.port || 5432)
  const target = folder.startsWith('/')
    ? { path: `${folder}/.s.PGSQL.${port}` }
    : { host: address.hostname, port }
  return {
    target,
    through(port) {
      const other = new URL(databaseUrl.replace(address.hostname, '127.0.0.1'))
      other.port = String(port)
      return other.href
    },
  }
}
