import { once } from 'node:events'
import WebSocket from 'ws'
import type { Person } from '../support/people.ts'
import type { StageServer } from '../support/stage.ts'

type Frame = { op: number; e?: string; seq?: number; d?: { session_id?: string } }

/** A socket that is logged in, with what it has seen. */
type LoggedIn = {
  socket: WebSocket
  sessionId: string
  lastSeq(): number
  closeCode(): number | undefined
}

async function open(server: StageServer, send: object, until: string): Promise<LoggedIn> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/socket`)
  let [seq, sessionId, closed] = [0, '', undefined as number | undefined]
  socket.on('close', (code) => (closed = code))
  const done = new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', (code) => reject(new Error(`closed ${code}`)))
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Frame
      seq = frame.seq ?? seq
      if (frame.e === 'INIT_STATE') sessionId = frame.d?.session_id ?? ''
      if (frame.e === until) resolve()
    })
  })
  await once(socket, 'open')
  socket.send(JSON.stringify(send))
  await done
  return { socket, sessionId, lastSeq: () => seq, closeCode: () => closed }
}

export function logIn(server: StageServer, { token }: Person): Promise<LoggedIn> {
  return open(server, { op: 2, d: { token } }, 'INIT_STATE')
}

/** Resumes a gateway session; throws with the close code where that is refused. */
export async function resume(server: StageServer, { token }: Person, former: LoggedIn): Promise<void> {
  const d = { session_id: former.sessionId, seq: former.lastSeq(), token }
  const { socket } = await open(server, { op: 11, d }, 'RESUMED')
  socket.close(1000)
}
