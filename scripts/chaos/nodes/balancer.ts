import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands before the processes, as a load balancer does. */
export type Balancer = {
  origin: string
  /** From now on new connections go to these ports. */
  use(ports: readonly number[]): void
  /** The port that a connection from this port of a client was passed to. */
  targetOf(clientPort: number): number | undefined
  close(): Promise<void>
}

/** Passes each connection to the next listening port in turn. Closes it when no port listens. */
export async function openBalancer(): Promise<Balancer> {
  let ports: readonly number[] = []
  let turn = 0
  const targets = new Map<number, number>()
  const sockets = new Set<Socket>()
  const server = createServer({ pauseOnConnect: true }, (near) => void pass(near))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function pass(near: Socket): Promise<void> {
    keep(near)
    turn += 1
    const inTurn = ports.map((_port, index) => ports[(turn + index) % ports.length]!)
    for (const port of inTurn) {
      const far = await reach(port)
      if (!far) continue
      keep(far)
      targets.set(near.remotePort!, port)
      near.pipe(far)
      far.pipe(near)
      near.once('close', () => far.destroy())
      far.once('error', () => near.destroy())
      if (near.destroyed) far.destroy()
      return
    }
    near.destroy()
  }

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  }

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use(next) {
      ports = next
    },
    targetOf: (clientPort) => targets.get(clientPort),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A connection to a port, or undefined where no process listens. */
async function reach(port: number): Promise<Socket | undefined> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return socket
  } catch {
    return undefined
  }
}
