import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { openStore } from '../../src/storage/open.ts'
import { filePart, multipart } from '../support/multipart.ts'
import { otherApp } from '../support/other-app.ts'
import { pictureText } from '../support/own-user.ts'
import { folder, house, type Person, unavailable, user } from '../support/world.ts'

const ann = await user()
const { id: house_id, room_id } = await house({ owner: ann })
const icon = await pictureText()

/** An app whose files leave so much free, in a folder of their own. */
async function withReserve(name: string, STORAGE_RESERVE: string) {
  const files = join(folder, name)
  const { storageReserve } = readConfig({ STORAGE_RESERVE })
  const store = await openStore(pathToFileURL(files).href, storageReserve)
  return { files, ...(await otherApp({}, { store })) }
}

test('while less than the reserve is free every upload is unavailable, and nothing else', async () => {
  const { call, files } = await withReserve('full', '900000TiB')
  const uploads = [
    await call(ann, 'PATCH', '/users/@me', { icon }),
    await call(ann, 'PATCH', '/users/@me', { header: icon }),
    await call(ann, 'PATCH', `/houses/${house_id}`, { name: 'Den', icon }),
    await call(ann, 'POST', '/houses', { name: 'Den', icon }),
    await call(ann, 'POST', `/rooms/${room_id}/media_messages`, undefined, multipart(filePart('x'))),
  ]
  for (const { status, headers, body } of uploads) {
    expect([status, body]).toEqual([503, unavailable])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  }
  expect(await readdir(files)).toEqual([])
  expect((await call(ann, 'POST', `/rooms/${room_id}/messages`, { content: 'hi' })).status).toBe(200)
  expect((await call(ann, 'PATCH', '/users/@me', { name: 'Ann' })).status).toBe(200)
})

test('with more than the reserve free uploads are stored', async () => {
  const { call } = await withReserve('free', '1MiB')
  expect((await call(ann, 'PATCH', '/users/@me', { icon })).status).toBe(200)
  const sent = await call(
    ann,
    'POST',
    `/rooms/${room_id}/media_messages`,
    undefined,
    multipart(filePart('x')),
  )
  expect(sent.status).toBe(200)
})

/** An app with a limit of 1 MiB a day, its clock, and how to send a file of some KiB. */
async function withDailyLimit() {
  const clock = { ms: 1_000_000 }
  const { uploads } = readConfig({ RATE_LIMIT_UPLOADS: '1MiB/day' })
  const { call } = await otherApp({ rateLimit: true, uploads }, { now: () => clock.ms })
  const send = (person: Person, kib: number, room = room_id) => {
    const file = filePart(Buffer.alloc(kib * 1024))
    return call(person, 'POST', `/rooms/${room}/media_messages`, undefined, multipart(file))
  }
  return { clock, call, send }
}

test('limits an account past its daily bytes until the bucket has refilled', async () => {
  const { clock, send } = await withDailyLimit()
  const bob = await user()
  const own = await house({ owner: bob })
  expect((await send(ann, 600)).status).toBe(200)
  const refused = await send(ann, 600)
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limit'])
  const wait = Number(refused.headers['retry-after'])
  // 176 of 1,024 KiB are missing.
  expect(wait).toBeGreaterThan(14_000)
  expect(wait).toBeLessThan(16_000)
  expect(refused.body.expires_at).toBe(Math.ceil(clock.ms / 1000 + wait))
  expect((await send(bob, 600, own.room_id)).status).toBe(200)
  expect((await send(ann, 300)).status).toBe(200)
  clock.ms += 86_400_000
  expect((await send(ann, 1_000)).status).toBe(200)
})

test('what was not stored does not count', async () => {
  const { call, send } = await withDailyLimit()
  const cal = await user()
  expect((await send(cal, 900)).status).toBe(404)
  const own = await house({ owner: cal })
  const text = multipart({ name: 'content', value: 'x'.repeat(900 * 1024) })
  expect((await call(cal, 'POST', `/rooms/${own.room_id}/media_messages`, undefined, text)).status).toBe(413)
  expect((await send(cal, 1_000, own.room_id)).status).toBe(200)
})
