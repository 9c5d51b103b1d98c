import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import type { DownloadLimits } from '../../../src/http/load/downloads.ts'
import { atEnd } from '../../support/at-end.ts'
import { portOf } from '../../support/gateway.ts'
import { filePart, multipart } from '../../support/multipart.ts'
import { bus, call, config, db, house, presences, store, user } from '../../support/world.ts'

/** The system takes some 4 MB of a connection that nobody reads. */
const largeBytes = 12_000_000

/** A listening app with these limits. */
async function listening(limits: Partial<DownloadLimits>, now?: () => number): Promise<FastifyInstance> {
  const downloadLimits = { ofOne: 100, ofAll: 100, leastBytes: 0, withinMs: 60_000, ...limits }
  const app = await buildApp({
    config: { ...config, trustProxy: 1 },
    db,
    store,
    bus,
    presences,
    downloadLimits,
    now,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  atEnd(() => app.close())
  return app
}

/** Sends an attachment of this size. Returns its path. */
async function attachment(bytes = largeBytes): Promise<string> {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const sent = await call(
    ann,
    'POST',
    `/rooms/${room_id}/media_messages`,
    undefined,
    multipart(filePart(Buffer.alloc(bytes, 'x'))),
  )
  return sent.body.data.attachment.media_url.replace('http://hearth.test', '')
}

function head(path: string, from: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${from}\r\n\r\n`
}

/** A connection from an address that requests a file several times without waiting, and reads nothing. */
async function begin(app: FastifyInstance, path: string, from: string, times = 1): Promise<Socket> {
  const socket = connect(portOf(app), '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write(head(path, from).repeat(times))
  atEnd(() => socket.destroy())
  return socket
}

function fetchFrom(app: FastifyInstance, path: string, from: string, headers: Record<string, string> = {}) {
  return fetch(`http://127.0.0.1:${portOf(app)}${path}`, { headers: { 'x-forwarded-for': from, ...headers } })
}

const [here, elsewhere] = ['192.0.2.1', '192.0.2.2']

test('downloads past those of one address answer rate_limit, and others are served', async () => {
  const app = await listening({ ofOne: 2 })
  const path = await attachment()
  const sockets = [await begin(app, path, here), await begin(app, path, here)]
  await expect.poll(() => app.downloads.open).toBe(2)

  const refused = await fetchFrom(app, path, here)
  expect([refused.status, await refused.json()]).toMatchObject([429, { error: { code: 'rate_limit' } }])
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(refused.headers.get('content-type')).toMatch(/^application\/json/)
  for (const name of ['cache-control', 'content-disposition', 'accept-ranges']) {
    expect(refused.headers.get(name), name).toBeNull()
  }
  expect((await (await fetchFrom(app, path, elsewhere)).arrayBuffer()).byteLength).toBe(largeBytes)
  expect(app.downloads.refused).toBe(1)

  sockets[0]!.destroy()
  await expect.poll(() => app.downloads.open).toBe(1)
  const range = await fetchFrom(app, path, here, { range: 'bytes=0-99999' })
  expect([range.status, (await range.arrayBuffer()).byteLength]).toEqual([206, 100_000])
})

test('downloads behind another one on a connection count, and end with it', async () => {
  const app = await listening({})
  const socket = await begin(app, await attachment(), here, 3)
  await expect.poll(() => app.downloads.open).toBe(3)
  socket.destroy()
  await expect.poll(() => app.downloads.open).toBe(0)
})

test('past the bound of all, the oldest download of whoever has the most is closed', async () => {
  const app = await listening({ ofAll: 3 })
  const path = await attachment()
  for (const from of [elsewhere, here, here]) await begin(app, path, from)
  await expect.poll(() => app.downloads.open).toBe(3)
  const answer = await fetchFrom(app, path, '192.0.2.3')
  expect((await answer.arrayBuffer()).byteLength).toBe(largeBytes)
  expect(app.downloads).toMatchObject({ refused: 0, closed: 1 })
  await expect.poll(() => app.downloads.open).toBe(2)
})

test('a download of which too little is read is closed, and one that is read is not', async () => {
  let now = 0
  // More bytes than the system takes of the unread download, fewer than are read of the other.
  const app = await listening({ leastBytes: 6_000_000, withinMs: 60_000 }, () => now)
  const path = await attachment(2 * largeBytes)
  await begin(app, path, here)
  const reader = await begin(app, path, elsewhere)
  await expect.poll(() => app.downloads.open).toBe(2)
  reader.on('data', () => reader.bytesRead >= 8_000_000 && reader.pause())
  reader.resume()
  await expect.poll(() => reader.bytesRead).toBeGreaterThanOrEqual(8_000_000)

  now += 59_999
  app.downloads.closeSlow()
  expect(app.downloads).toMatchObject({ open: 2, closed: 0 })
  now += 1
  app.downloads.closeSlow()
  expect(app.downloads).toMatchObject({ open: 1, closed: 1 })
})

test('small files are no open downloads, and HEAD reads no file', async () => {
  const app = await listening({ ofOne: 0 })
  const [small, large] = [await attachment(60_000), await attachment()]
  const answer = await fetchFrom(app, small, here)
  expect((await answer.arrayBuffer()).byteLength).toBe(60_000)
  const answered = await fetch(`http://127.0.0.1:${portOf(app)}${large}`, { method: 'HEAD' })
  expect([answered.status, answered.headers.get('content-length')]).toEqual([200, String(largeBytes)])
  expect(app.downloads).toMatchObject({ open: 0, refused: 0 })
})
