import { once } from 'node:events'
import { connect } from 'node:net'
import { freePort } from '../../test/support/server.ts'
import { type Program, startProgram } from './program.ts'

/** A Valkey or Redis that keeps nothing on a disk, as that of docker-compose.cluster.yml. */
export async function startValkey(program: string, folder: string): Promise<Program & { url: string }> {
  const port = await freePort()
  const valkey = await startProgram({
    program,
    args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    folder,
    answers: () => isListening(port),
  })
  return { ...valkey, url: `redis://127.0.0.1:${port}` }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
