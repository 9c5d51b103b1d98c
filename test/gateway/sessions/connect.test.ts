import { once } from 'node:events'
import { connect as openStream } from 'node:net'
import { expect, test } from 'vitest'
import { Client, listen, logged, logIn, portOf, raw } from '../../support/gateway.ts'
import { call, failure, house, user } from '../../support/world.ts'

const app = await listen()
const helloText = '{"op":1,"d":{"hbt_int":30000}}'

test('sends the exact hello first, in text and in zlib', async () => {
  for (const zlib of [false, true]) {
    const client = new Client(app, { zlib })
    await client.hello()
    expect(client.frames[0]).toMatchObject({ text: helloText, binary: zlib })
    await client.close()
  }
})

test('accepts any spelling of path and query; a compression that begins with zlib is zlib', async () => {
  const paths: [string, boolean][] = [
    ['/socket?', false],
    ['/v1/socket?', false],
    ['/socket/?compression=zlib', true],
    ['/v1/socket/?compression=zlib_json&encoding=json', true],
    ['/%73ocket?encoding=json&compression=zlib_json', true],
    ['/socket?compression=text_json?encoding=json', false],
    ['/socket?encoding=etf&compression=lz4', false],
    ['/socket?compression=text_zlib', false],
    ['/socket?compression=%', false],
  ]
  for (const [path, binary] of paths) {
    const client = new Client(app, { path })
    await client.hello()
    expect(client.frames[0]!.binary, path).toBe(binary)
    await client.close()
  }
})

test('accepts the protocol of the upgrade in capitals', async () => {
  const stream = openStream(portOf(app), '127.0.0.1')
  const names = 'Connection: UPGRADE\r\nUPGRADE: WebSocket\r\nHost: x\r\nSec-WebSocket-Version: 13\r\n'
  stream.write(`GET /socket HTTP/1.1\r\n${names}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`)
  const [answer] = await once(stream, 'data')
  stream.destroy()
  expect(String(answer)).toMatch(/^HTTP\/1.1 101 /)
})

test('accepts an absolute URL as the request target', async () => {
  const names = 'Connection: Upgrade\r\nUpgrade: websocket\r\nHost: x\r\nSec-WebSocket-Version: 13\r\n'
  for (const target of ['http://x/socket', 'HTTPS://x:8080/v1/socket/?compression=zlib']) {
    const stream = openStream(portOf(app), '127.0.0.1')
    stream.write(`GET ${target} HTTP/1.1\r\n${names}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`)
    const [answer] = await once(stream, 'data')
    stream.destroy()
    expect(String(answer), target).toMatch(/^HTTP\/1.1 101 /)
  }
  const plain = await raw(app, 'GET http://x/v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(plain).toMatch(/^HTTP\/1.1 200 .*"ok"/s)
})

test('ignores subprotocols and extensions', async () => {
  const offers: Record<string, string>[] = [
    { 'Sec-WebSocket-Protocol': 'json, hearth.v1' },
    { 'Sec-WebSocket-Protocol': '' },
    { 'Sec-WebSocket-Protocol': ',,' },
    { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits, x-webkit-deflate-frame' },
    { Origin: 'null', Authorization: 'Bot nonsense' },
  ]
  for (const headers of offers) {
    const client = new Client(app, { headers })
    await client.hello()
    expect([client.socket.protocol, client.socket.extensions]).toEqual(['', ''])
    await client.close()
  }
})

test('accepts a login before and after the hello, with the token in each form', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  for (const zlib of [false, true]) {
    for (const late of [false, true]) {
      for (const token of [ann.token, `Bot ${ann.token}`, `Bearer ${ann.token}`]) {
        const client = new Client(app, { zlib })
        if (late) await client.hello()
        client.send({ d: { token }, op: 2, more: true })
        await logged(client)
        expect(client.frames.map((frame) => frame.e)).toEqual([undefined, 'INIT_STATE', 'HOUSE_JOIN'])
        expect(client.frames.map((frame) => frame.seq)).toEqual([undefined, 1, expect.any(Number)])
        expect(client.frames.every((frame) => frame.binary === zlib)).toBe(true)
        expect(client.frames[2]!.d.id).toBe(den.id)
        await client.close()
      }
    }
  }
})

test('event frames have seq, op, e and d in this order', async () => {
  const client = await logIn(app, await user())
  expect(client.frames[1]!.text).toMatch(/^\{"seq":\d+,"op":0,"e":"INIT_STATE","d":\{"user":/)
})

test('accepts a login in a binary frame', async () => {
  const ann = await user()
  const client = new Client(app)
  client.send(Buffer.from(JSON.stringify({ op: 2, d: { token: ann.token } })))
  await logged(client)
})

test('closes an invalid token with 4003 invalid_token', async () => {
  for (const d of [undefined, null, 5, {}, { token: 5 }, { token: 'x' }, { token: 'f'.repeat(128) }]) {
    const client = new Client(app)
    client.send({ op: 2, d })
    expect(await client.end()).toEqual({ code: 4003, reason: 'invalid_token' })
    expect(client.events).toEqual([])
  }
})

test('closes the socket of a bad frame with 4002, and no other', async () => {
  const other = await logIn(app, await user())
  const garbage = ['', 'x', '5', 'null', '[]', '[{"op":3}]', '{}', '{"op":"2"}', '{"op":2.5}', '{"op":null}']
  for (const text of [...garbage, Buffer.from([0xff, 0xfe]), Buffer.from('{"op":3,"d":"\xff"}', 'latin1')]) {
    const client = new Client(app)
    client.send(text)
    expect(await client.end(), String(text)).toEqual({ code: 4002, reason: 'bad_frame' })
  }
  expect(other.closed).toBeUndefined()
})

test('closes a frame over 64 KiB with 1009', async () => {
  const client = await logIn(app, await user())
  client.send(`{"op":4,"d":"${'x'.repeat(64 * 1024 - 15)}"}`)
  client.send({ op: 3 })
  const big = await logIn(app, await user())
  big.send(`{"op":4,"d":"${'x'.repeat(64 * 1024)}"}`)
  expect((await big.end()).code).toBe(1009)
  expect(client.closed).toBeUndefined()
})

test('ignores unknown opcodes and wrong fields before and after the login', async () => {
  const ann = await user()
  const client = new Client(app)
  const ignored = [
    { op: 3 },
    { op: 3, d: 'x' },
    { op: 4, d: { id: '1' } },
    { op: 5 },
    { op: 6, d: 7 },
    { op: 7 },
  ]
  const more = [{ op: 8 }, { op: 9 }, { op: 10 }, { op: 99 }, { op: -1 }, { op: 0, e: 'X', d: {} }]
  for (const frame of [...ignored, ...more]) client.send(frame)
  client.send({ op: 2, d: { token: ann.token } })
  await logged(client)
  for (const frame of [...ignored, ...more]) client.send(frame)
  client.send({ op: 6, d: { user_ids: [1, 2] } })
  client.send({ op: 7, d: { house_id: '1', user_ids: 'x' } })
  client.send({ op: 2, d: { token: 'x' } })
  client.send({ op: 11, d: {} })
  const other = await logIn(app, ann)
  expect(other.closed ?? client.closed).toBeUndefined()
  expect(client.frames.length).toBe(2)
})

test('acknowledges heartbeats only to extended clients after the login', async () => {
  const ann = await user()
  const client = await logIn(app, ann)
  const extended = new Client(app)
  extended.send({ op: 3 })
  extended.send({ op: 2, d: { token: ann.token, extended: true } })
  await logged(extended)
  client.send({ op: 3 })
  extended.send({ op: 3 })
  extended.send({ op: 3 })
  await extended.until(() => extended.frames.length === 4)
  expect(extended.frames.slice(2).map((frame) => frame.text)).toEqual(['{"op":12}', '{"op":12}'])
  expect(client.frames.length).toBe(2)
})

test('acknowledges each heartbeat after the login frame of an extended client', async () => {
  const ann = await user()
  const client = new Client(app)
  client.send({ op: 3 })
  client.send({ op: 2, d: { token: ann.token, extended: true } })
  client.send({ op: 3 })
  client.send({ op: 3 })
  await logged(client)
  client.send({ op: 3 })
  const answers = () => client.frames.filter((frame) => frame.text === '{"op":12}').length
  await client.until(() => answers() === 3)
  const plain = new Client(app)
  plain.send({ op: 2, d: { token: ann.token, extended: 'true' } })
  plain.send({ op: 3 })
  await logged(plain)
  expect([answers(), plain.frames.length]).toEqual([3, 2])
})

test('closes more than 120 frames a minute with 4012, heartbeats not counted', async () => {
  const client = await logIn(app, await user())
  for (let count = 0; count < 300; count++) client.send({ op: 3 })
  for (let count = 0; count < 119; count++) client.send({ op: 4 })
  const other = await logIn(app, await user())
  expect(client.closed ?? other.closed).toBeUndefined()
  client.send({ op: 4 })
  expect(await client.end()).toEqual({ code: 4012, reason: 'too_many' })
})

test('ignores a second login while the first is not over', async () => {
  const ann = await user()
  const client = new Client(app)
  for (let count = 0; count < 3; count++) client.send({ op: 2, d: { token: ann.token } })
  await logged(client)
  await call(ann, 'POST', '/houses', { name: 'own' })
  await client.next('HOUSE_JOIN')
  expect(client.events.map((frame) => frame.e)).toEqual(['INIT_STATE', 'HOUSE_JOIN'])
  expect(app.gateway.registry.sessionsOfUser(ann.id)).toHaveLength(1)
})

test('compresses heartbeat acks for a zlib client', async () => {
  const client = await logIn(app, await user(), { extended: true, zlib: true })
  client.send({ op: 3 })
  await client.until(() => client.frames.length === 3)
  expect(client.frames[2]).toMatchObject({ text: '{"op":12}', binary: true })
})

test('answers not_found without an upgrade, and to an upgrade elsewhere', async () => {
  for (const path of ['/socket', '/v1/socket', '/socket/']) {
    const answer = await call(null, 'GET', path)
    expect([answer.status, answer.body]).toEqual([404, failure('not_found', 'Not found')])
  }
  const upgrade =
    'Connection: Upgrade, close\r\nUpgrade: websocket\r\nHost: x\r\nSec-WebSocket-Version: 13\r\n'
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
  expect(await raw(app, `GET /elsewhere HTTP/1.1\r\n${upgrade}${key}`)).toMatch(
    /^HTTP\/1.1 404 .*"not_found"/s,
  )
  for (const faulty of [upgrade, upgrade.replace('Version: 13', 'Version: 12') + key.trimEnd()]) {
    const answer = await raw(app, `GET /socket HTTP/1.1\r\n${faulty.trimEnd()}\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1.1 404 .*application\/json.*"not_found"/s)
  }
  expect(await raw(app, `GET /socket% HTTP/1.1\r\n${upgrade}${key}`)).toMatch(/^HTTP\/1.1 404 .*"not_found"/s)
  const h2c = 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n'
  expect(await raw(app, h2c)).toMatch(/^HTTP\/1.1 200 .*"ok"/s)
})
