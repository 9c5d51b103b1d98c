import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { deflateSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import type { GatewayEvent } from '../../src/client/events.ts'
import { Gateway } from '../../src/client/gateway.ts'
import { listedMembers } from '../../src/client/listed-members.ts'

const hello = deflateSync('{"op":1,"d":{"hbt_int":30000}}')

/** A gateway of a server that sends these frames to every connection, and then closes it. */
async function receive(frames: readonly Buffer[], code = 4003) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  server.on('connection', (socket) => {
    for (const frame of frames) socket.send(frame)
    socket.close(code, 'invalid_token')
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const gateway = new Gateway({ address, token: 'any', compressed: true })
  onTestFinished(() => {
    gateway.close()
    server.close()
  })
  const sizes: number[] = []
  gateway.onEvent(({ d }) => sizes.push(JSON.stringify(d).length))
  gateway.connect()
  return { gateway, sizes }
}

function event(length: number): Buffer {
  return deflateSync(JSON.stringify({ seq: 1, op: 0, e: 'ANY', d: 'a'.repeat(length - 2) }))
}

test('small frames wait for large ones before them, and the close for all', async () => {
  const lengths = [3_000_000, 10, 2_000_000, 20]
  const { gateway, sizes } = await receive([hello, ...lengths.map(event)])
  await expect.poll(() => gateway.state.name).toBe('closed')
  expect(sizes).toEqual(lengths)
})

test('a frame that is none ends the connection, which is made again', async () => {
  const { gateway, sizes } = await receive([hello, Buffer.from('no zlib stream'), event(10)], 1001)
  await expect.poll(() => gateway.state).toMatchObject({ name: 'waiting', reason: 'unreadable frame' })
  expect(sizes).toEqual([])
})

test('members are all listed unless there are 2,500, or the frame is as large as one may be', () => {
  const join = (count: number) =>
    ({
      op: 0,
      seq: 1,
      e: 'HOUSE_JOIN',
      d: { id: '1', members: new Array(count).fill({}) },
    }) as unknown as GatewayEvent
  const listed = listedMembers()
  const has = (count: number, bytes: number) => {
    listed.note(join(count), bytes)
    return listed.has('1')
  }
  expect(has(2_001, 934_000)).toBe(true)
  expect(has(2_500, 1_200_000)).toBe(false)
  expect(has(2_499, 1_200_000)).toBe(true)
  expect(has(700, 3.5 * 1024 * 1024)).toBe(false)
})
