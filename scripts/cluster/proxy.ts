import { join } from 'node:path'
import { freePort } from '../../test/support/server.ts'
import { type Program, startProgram } from './program.ts'

const settings = join(import.meta.dirname, 'haproxy.cfg')

/** The proxy of docker-compose.cluster.yml, with the same settings, before three ports of this machine. */
export async function startProxy(
  program: string,
  folder: string,
  ports: readonly number[],
): Promise<Program & { origin: string }> {
  const listen = `127.0.0.1:${await freePort()}`
  const origin = `http://${listen}`
  const hearths = ports.map((port, index) => [`CLUSTER_HEARTH_${index + 1}`, `127.0.0.1:${port}`])
  const proxy = await startProgram({
    program,
    args: ['-db', '-f', settings],
    folder,
    environment: { CLUSTER_LISTEN: listen, ...Object.fromEntries(hearths) },
    answers: () => isHealthy(origin),
  })
  return { ...proxy, origin }
}

async function isHealthy(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/health`, { headers: { connection: 'close' } })).ok
  } catch {
    return false
  }
}
