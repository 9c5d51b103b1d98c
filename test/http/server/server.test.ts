import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { listen, portOf } from '../../support/gateway.ts'
import { app, call } from '../../support/world.ts'

test('an idle connection is kept for longer than the 60 s of common proxies, and the answer says so', async () => {
  const server = await listen()
  const answer = await fetch(`http://127.0.0.1:${portOf(server)}/health`)
  expect(answer.headers.get('keep-alive')).toBe('timeout=72')
})

test('headers, a whole request and a connection without traffic have their time', () => {
  expect(app.server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 300_000, timeout: 60_000 })
})

test.runIf(process.platform === 'linux')('some of the open files are kept from connections', () => {
  const files = Number(execFileSync('sh', ['-c', 'ulimit -n']))
  expect(app.server.maxConnections).toBe(Math.max(files - 1_024, Math.ceil(files / 2)))
})

test('a long part of a path is looked up like a short one', async () => {
  const paths = ['/invites/x', `/invites/${'x'.repeat(10_000)}`]
  const [short, long] = await Promise.all(paths.map((path) => call(null, 'GET', path)))
  expect([long!.status, long!.body]).toEqual([short!.status, short!.body])
})
