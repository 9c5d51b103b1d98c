import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { Gateway } from '../../src/client/gateway.ts'
import { type Frame, portOf } from './gateway.ts'
import type { Person } from './world.ts'

/** The typed client's gateway, on sockets that can be cut, and all that came over them. */
export type TypedGateway = {
  gateway: Gateway
  /** Every event, as it was sent, over all connections. */
  events: Frame[]
  /** Cuts the line as a lost network does; `gateway.connect()` resumes. */
  cut(): void
}

/** Logs in with the typed client; it is closed at the end of the test. */
export function openTypedGateway(app: FastifyInstance, { token }: Person): TypedGateway {
  const events: Frame[] = []
  let current: WebSocket | undefined

  class RecordedSocket extends WebSocket {
    constructor(url: string) {
      super(url)
      current = this
      this.on('message', (data: Buffer, binary) => {
        // After the connection is cut, the client receives no more.
        if (this.readyState !== WebSocket.OPEN) return
        const text = data.toString('utf8')
        const frame = JSON.parse(text)
        if (frame.op === 0) events.push({ ...frame, text, binary, extended: true })
      })
    }
  }
  const gateway = new Gateway({
    address: `http://127.0.0.1:${portOf(app)}`,
    token,
    WebSocket: RecordedSocket as unknown as typeof globalThis.WebSocket,
  })
  gateway.connect()
  onTestFinished(() => gateway.close())
  return {
    gateway,
    events,
    cut() {
      current?.terminate()
      gateway.close()
    },
  }
}
