import { sql } from 'kysely'
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '../../../src/errors.ts'
import { filePart, multipart } from '../../support/multipart.ts'
import { eraseOnceFound } from '../../support/store.ts'
import { app, call, db, failure, house, store, user } from '../../support/world.ts'

const notFound = failure('not_found', 'Not found')

/** A message with a file; `path` is its media_url without the origin. */
async function attached(content: string | Buffer, fields: Record<string, string> = {}) {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const texts = Object.entries(fields).map(([name, value]) => ({ name, value }))
  const options = multipart(filePart(content, "it's a (file).txt"), ...texts)
  const { data } = (await call(ann, 'POST', `/rooms/${room_id}/media_messages`, undefined, options)).body
  const path = data.attachment.media_url.replace('http://hearth.test', '')
  return { ann, room_id, data, path }
}

test('the file is served byte for byte without a token, as a download, with its headers', async () => {
  const { path } = await attached('0123456789')
  for (const url of [path, path.replace('/v1', '')]) {
    const reply = await app.inject(url)
    expect(reply.statusCode).toBe(200)
    expect(reply.body).toBe('0123456789')
    expect(reply.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''it%27s%20a%20%28file%29.txt",
      'content-length': '10',
      'cache-control': 'private, max-age=3600',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'accept-ranges': 'bytes',
    })
  }
})

test('a picture is served inline with its type', async () => {
  const picture = sharp({ create: { width: 3, height: 2, channels: 3, background: 'red' } })
  const bytes = await picture.png().toBuffer()
  const { path } = await attached(bytes)
  const reply = await app.inject(path)
  expect(reply.rawPayload.equals(bytes)).toBe(true)
  expect(reply.headers['content-type']).toBe('image/png')
  expect(reply.headers['content-disposition']).toMatch(/^inline;/)
})

test.each([
  ['video/mp4', '\0\0\0\x18ftypmp42'],
  ['audio/flac', 'fLaC\0\0\0\x22'],
])('%s is played inline with its type', async (type, head) => {
  const { path } = await attached(Buffer.from(head, 'latin1'))
  const { headers } = await app.inject(path)
  expect(headers['content-type']).toBe(type)
  expect(headers['content-disposition']).toMatch(/^inline;/)
})

test('a single range returns a part, anything else the whole file', async () => {
  const { path } = await attached('0123456789')
  const ranges: Record<string, [number, string, string | undefined]> = {
    'bytes=2-4': [206, '234', 'bytes 2-4/10'],
    'bytes=7-': [206, '789', 'bytes 7-9/10'],
    'bytes=-3': [206, '789', 'bytes 7-9/10'],
    'bytes=-99': [206, '0123456789', 'bytes 0-9/10'],
    'bytes=8-99': [206, '89', 'bytes 8-9/10'],
    'bytes=20-30': [200, '0123456789', undefined],
    'bytes=-': [200, '0123456789', undefined],
    'lines=1-2': [200, '0123456789', undefined],
  }
  for (const [range, expected] of Object.entries(ranges)) {
    const reply = await app.inject({ url: path, headers: { range } })
    expect([reply.statusCode, reply.body, reply.headers['content-range']]).toEqual(expected)
  }
})

test('HEAD answers the headers alone', async () => {
  const { path } = await attached('0123456789')
  const reply = await app.inject({ method: 'HEAD', url: path })
  expect([reply.statusCode, reply.body, reply.headers['content-length']]).toEqual([200, '', '10'])
})

test('a wrong key, no key, another message, room or file name, and a deleted message answer not_found', async () => {
  const { ann, room_id, data, path } = await attached('x')
  const key = path.slice(-32)
  const wrong = [
    path.split('?')[0],
    path.replace(key, 'f'.repeat(32)),
    path.replace(key, key.slice(1)),
    path.replace(key, '%00'),
    `${path}&key=${key}`,
    path.replace(data.id, '1'),
    path.replace(room_id, 'x'),
    path.replace('file', 'other'),
  ]
  for (const url of wrong) {
    const reply = await app.inject(url)
    expect([reply.statusCode, reply.json()]).toEqual([404, notFound])
  }
  await call(ann, 'DELETE', `/rooms/${room_id}/messages/${data.id}`)
  expect((await app.inject(path)).json()).toEqual(notFound)
})

test('the file of an exploding message may be cached until its end, and is then not found', async () => {
  const { data, path } = await attached('x', { exploding: 'true', exploding_age: '3600' })
  const ageOf = async () =>
    Number(/max-age=(\d+)/.exec(String((await app.inject(path)).headers['cache-control']))?.[1])
  const endIn = async (ms: number) => {
    const expires_at = new Date(Date.now() + ms)
    await db.updateTable('messages').set({ expires_at }).where('id', '=', data.id).execute()
  }
  expect(await ageOf()).toBeGreaterThan(3_000)
  expect(await ageOf()).toBeLessThanOrEqual(3_600)
  await endIn(90_900)
  expect(await ageOf()).toBeLessThanOrEqual(90)
  await endIn(-1)
  expect((await app.inject(path)).json()).toEqual(notFound)
})

test('a file that is missing in the store answers not_found', async () => {
  const { room_id, path } = await attached('x')
  await store.remove(`attachments/${room_id}/${path.slice(-32)}`)
  expect((await app.inject(path)).json()).toEqual(notFound)
})

test('a file that is erased during the request answers not_found with the headers of a failure', async () => {
  const { room_id, path } = await attached('x')
  const restore = eraseOnceFound(store, `attachments/${room_id}/${path.slice(-32)}`)
  const reply = await app.inject(path)
  restore()
  expect([reply.statusCode, reply.json()]).toEqual([404, notFound])
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(reply.headers).not.toHaveProperty('content-disposition')
  expect(reply.headers).not.toHaveProperty('cache-control')
})

test('fetching and sending files answers unavailable while the store is unavailable', async () => {
  const { ann, room_id, path } = await attached('x')
  const { find, write } = store
  const fail = () =>
    Promise.reject(new StoreUnavailable(new Error('The specified multipart upload does not exist')))
  Object.assign(store, { find: fail, write: fail })
  onTestFinished(() => void Object.assign(store, { find, write }))
  const fetched = await app.inject(path)
  const sent = await call(
    ann,
    'POST',
    `/rooms/${room_id}/media_messages`,
    undefined,
    multipart(filePart('y')),
  )
  expect([fetched.statusCode, fetched.json().error.code]).toEqual([503, 'unavailable'])
  expect(fetched.headers).toMatchObject({ 'retry-after': '1' })
  expect([sent.status, sent.body.error.code]).toEqual([503, 'unavailable'])
})

test('an earlier name that turns the direction of text is shown without that, and still fetched by its address', async () => {
  const { ann, data } = await attached('x')
  const filename = 'a\u202Egpj.exe'
  await sql`update messages set attachment = attachment || ${JSON.stringify({ filename })}::jsonb
    where id = ${data.id}`.execute(db)
  const read = await call(ann, 'GET', `/rooms/${data.room_id}/messages/${data.id}`)
  const { attachment } = read.body.data
  expect(attachment.filename).toBe('agpj.exe')
  const reply = await app.inject(attachment.media_url.replace('http://hearth.test', ''))
  expect([reply.statusCode, reply.body]).toEqual([200, 'x'])
  expect(reply.headers['content-disposition']).toBe("attachment; filename*=UTF-8''agpj.exe")
})
