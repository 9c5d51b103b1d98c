import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { Gateway } from '../../src/client/gateway.ts'

const intervalMs = 30_000
const acked = 3

/** A server that acknowledges the first heartbeats of a connection only. */
async function serve() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  /** The number of heartbeats of each connection. */
  const heartbeats: number[] = []
  server.on('connection', (socket) => {
    const place = heartbeats.push(0) - 1
    socket.send(JSON.stringify({ op: 1, d: { hbt_int: intervalMs } }))
    socket.on('message', (data) => {
      if (JSON.parse(String(data)).op !== 3) return
      heartbeats[place]! += 1
      if (heartbeats[place]! <= acked) socket.send('{"op":12}')
    })
  })
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heartbeats }
}

/** A client whose intervals pass only when told to. */
async function open(extended: boolean) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { address, heartbeats } = await serve()
  let received = 0
  class CountingSocket extends WebSocket {
    constructor(url: string | URL) {
      super(url)
      this.addEventListener('message', () => {
        received += 1
      })
    }
  }
  const gateway = new Gateway({ address, token: 'any', extended, WebSocket: CountingSocket })
  onTestFinished(() => gateway.close())
  gateway.connect()
  await expect.poll(() => received).toBe(1)
  /** Lets intervals pass, each once the heartbeat of the one before is answered, if it is. */
  async function beat(times: number): Promise<void> {
    for (let count = 0; count < times; count += 1) {
      const sent = heartbeats[0]! + 1
      vi.advanceTimersByTime(intervalMs)
      await expect.poll(() => heartbeats[0]).toBe(sent)
      await expect.poll(() => received).toBe(1 + Math.min(sent, acked))
    }
  }
  return { gateway, heartbeats, beat }
}

test('a connection without heartbeat acknowledgements is closed, and another opened', async () => {
  const { gateway, heartbeats, beat } = await open(true)
  await beat(acked + 1)
  expect(gateway.state.name).toBe('connecting')
  vi.advanceTimersByTime(intervalMs)
  expect(gateway.state).toMatchObject({ name: 'waiting', reason: 'no heartbeat ack' })
  gateway.reconnectNow()
  await expect.poll(() => heartbeats.length).toBe(2)
})

test('a client that is not extended expects no acknowledgements', async () => {
  const { gateway, beat } = await open(false)
  await beat(acked + 5)
  expect(gateway.state.name).toBe('connecting')
})
