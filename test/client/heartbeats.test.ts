import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { Gateway } from '../../src/client/gateway.ts'

/** The real interval is half a minute. */
const hello = JSON.stringify({ op: 1, d: { hbt_int: 250 } })
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
    socket.send(hello)
    socket.on('message', (data) => {
      if (JSON.parse(String(data)).op !== 3) return
      heartbeats[place]! += 1
      if (heartbeats[place]! <= acked) socket.send('{"op":12}')
    })
  })
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heartbeats }
}

function open(address: string, extended: boolean): Gateway {
  const gateway = new Gateway({ address, token: 'any', extended })
  onTestFinished(() => gateway.close())
  gateway.connect()
  return gateway
}

test('a connection without heartbeat acknowledgements is closed, and another opened', async () => {
  const { address, heartbeats } = await serve()
  const gateway = open(address, true)
  await expect.poll(() => gateway.state).toMatchObject({ name: 'waiting', reason: 'no heartbeat ack' })
  expect(heartbeats[0]).toBeGreaterThanOrEqual(acked)
  gateway.reconnectNow()
  await expect.poll(() => heartbeats.length).toBe(2)
})

test('a client that is not extended expects no acknowledgements', async () => {
  const { address, heartbeats } = await serve()
  const gateway = open(address, false)
  await expect.poll(() => heartbeats[0]).toBeGreaterThan(acked + 5)
  expect(gateway.state.name).toBe('connecting')
})
