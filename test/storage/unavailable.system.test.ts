import { Readable } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { StoreUnavailable } from '../../src/errors.ts'
import { eraseDiscarded } from '../../src/storage/discard.ts'
import { openStore } from '../../src/storage/open.ts'
import { filePart, multipart } from '../support/multipart.ts'
import { otherApp } from '../support/other-app.ts'
import { pictureText } from '../support/own-user.ts'
import { startS3Double } from '../support/s3-double.ts'
import { startServer } from '../support/server.ts'
import { openTcpProxy } from '../support/tcp-proxy.ts'
import { databaseUrl, db, folder, house, store, unavailable, user } from '../support/world.ts'

const ann = await user()

test('a full disk of the files fails an upload with 503', async () => {
  const stop = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  const content = () =>
    new Readable({
      read() {
        this.destroy(stop)
      },
    })
  const { call } = await otherApp({}, { store: { ...store, write: (name) => store.write(name, content()) } })
  const answer = await call(ann, 'PATCH', '/users/@me', { icon: await pictureText() })
  expect([answer.status, answer.body]).toEqual([503, unavailable])
})

test('an upload whose parts the store refuses is answered 503, as the parts of the request are not wrong', async () => {
  const refusal = new StoreUnavailable(new Error('the multipart upload does not exist'))
  const { call } = await otherApp({}, { store: { ...store, write: () => Promise.reject(refusal) } })
  const { room_id } = await house({ owner: ann })
  const answer = await call(
    ann,
    'POST',
    `/rooms/${room_id}/media_messages`,
    undefined,
    multipart(filePart('x')),
  )
  expect([answer.status, answer.body]).toEqual([503, unavailable])
})

test('an unavailable file store is logged separately from the database', async () => {
  const environment = {
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'info',
    STORAGE_URL: 's3://bucket?endpoint=http://127.0.0.1:1',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
  }
  const server = await startServer(folder, { environment })
  let output = ''
  server.child.stdout!.on('data', (chunk) => (output += chunk))
  try {
    const headers = { authorization: ann.token, 'content-type': 'application/json' }
    const body = JSON.stringify({ icon: await pictureText() })
    const { status } = await fetch(`${server.origin}/users/@me`, { method: 'PATCH', headers, body })
    expect(status).toBe(503)
  } finally {
    await server.end('SIGTERM')
  }
  expect(output).toContain('the store of the files failed')
  expect(output).not.toContain('"unavailable"')
})

test('an S3 connection that breaks during an upload answers 503, and the parts are erased', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  const double = await startS3Double()
  const proxy = await openTcpProxy({ host: '127.0.0.1', port: Number(new URL(double.endpoint).port) })
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await proxy.close()
    await double.stop()
  })
  const s3 = await openStore(`s3://bucket?endpoint=http://127.0.0.1:${proxy.port}`)
  const { call } = await otherApp({}, { store: s3 })
  const { room_id } = await house({ owner: ann })
  const parts = multipart(filePart(Buffer.alloc(20 * 1024 * 1024)))
  const sending = call(ann, 'POST', `/rooms/${room_id}/media_messages`, undefined, parts)
  await vi.waitUntil(() => double.seen.some((each) => each.startsWith('PUT part')), {
    interval: 1,
    timeout: 20_000,
  })
  await proxy.set('reset')
  const answer = await sending
  expect([answer.status, answer.body]).toEqual([503, unavailable])
  expect([double.uploads.size, double.objects.size]).toEqual([1, 0])

  await proxy.set('fine')
  await db
    .updateTable('discarded_files')
    .set({ discarded_at: new Date(0) })
    .execute()
  await eraseDiscarded(db, s3)
  expect([double.uploads.size, double.objects.size]).toEqual([0, 0])
})
