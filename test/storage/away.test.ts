import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { otherApp } from '../support/other-app.ts'
import { pictureText } from '../support/own-user.ts'
import { startServer } from '../support/server.ts'
import { databaseUrl, failure, folder, store, user } from '../support/world.ts'

const ann = await user()
const unavailable = failure('unavailable', 'The service is temporarily unavailable')

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

test('a store of files that is away has a line of its own in the log, and none about the database', async () => {
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
