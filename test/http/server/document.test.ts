import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { documentSender } from '../../../src/http/server/document.ts'
import { app } from '../../support/world.ts'

const paths = ['/docs/json', '/docs/yaml', '/docs/events.json']

test.each(paths)('%s is compressed for who takes that, and not sent again to who has it', async (url) => {
  const plain = await app.inject({ url, headers: { 'accept-encoding': 'br, gzip;q=0' } })
  expect([plain.statusCode, plain.headers['content-encoding']]).toEqual([200, undefined])
  const etag = String(plain.headers.etag)
  expect(plain.headers).toMatchObject({ 'cache-control': 'no-cache', vary: 'Accept-Encoding' })

  const small = await app.inject({ url, headers: { 'accept-encoding': 'gzip, deflate, br' } })
  expect(small.headers).toMatchObject({ 'content-encoding': 'gzip', etag })
  expect(small.headers['content-type']).toBe(plain.headers['content-type'])
  expect(gunzipSync(small.rawPayload).equals(plain.rawPayload)).toBe(true)
  expect(small.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4)

  for (const known of [etag, etag.replace('W/', ''), `"x", ${etag}`, '*']) {
    const again = await app.inject({ url, headers: { 'if-none-match': known } })
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag])
  }
  const other = await app.inject({ url, headers: { 'if-none-match': '"x"' } })
  expect(other.statusCode).toBe(200)
})

test('a document is made once, however many ask for it at once', async () => {
  let made = 0
  const sender = documentSender('text/plain', () => `${++made}`)
  const reply = () => ({ headers: () => {}, type: () => {}, send: (bytes: Buffer) => String(bytes) }) as never
  const answers = await Promise.all([1, 2, 3].map(() => sender({ headers: {} } as never, reply())))
  expect(answers).toEqual(['1', '1', '1'])
})
