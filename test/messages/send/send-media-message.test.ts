import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { eraseDiscarded } from '../../../src/storage/discard.ts'
import { sendMedia } from '../../support/media.ts'
import { listRows } from '../../support/messages.ts'
import { filePart, multipart } from '../../support/multipart.ts'
import { noPermission, roomNotFound } from '../../support/permissions.ts'
import {
  block,
  call,
  db,
  failure,
  folder,
  house,
  houseRoom,
  oneToOne,
  published,
  store,
  user,
} from '../../support/world.ts'

const discardedIn = (roomId: string) => {
  return db.selectFrom('discarded_files').where('name', 'like', `attachments/${roomId}/%`)
}
const listFiles = (roomId: string) => {
  return readdir(join(folder, 'files', 'attachments', roomId)).catch(() => [] as string[])
}

test('a file is stored, and served byte for byte at its media_url', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const before = published.length
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, n) => n % 256))
  const text = { name: 'content', value: `look <@${ann.id}>` }
  const answer = await sendMedia(bob, den.room_id, filePart(content, 'a b.bin'), text)
  expect(answer.status).toBe(200)
  const { data } = answer.body
  expect(Object.keys(data)).toHaveLength(14)
  expect(data).toMatchObject({ content: `look <@${ann.id}>`, author_id: bob.id, house_id: den.id })
  expect(data.mentions).toHaveLength(1)
  expect(data.attachment).toEqual({
    filename: 'a b.bin',
    media_url: expect.stringMatching(
      `^http://hearth.test/v1/attachments/${den.room_id}/${data.id}/a%20b.bin\\?key=[0-9a-f]{32}$`,
    ),
    content_type: 'application/octet-stream',
    size: 100_000,
  })
  const extension = { reply_to: null, pinned: false }
  expect(published.slice(before)).toEqual([
    {
      type: 'message_created',
      room_id: den.room_id,
      house_id: den.id,
      message_id: data.id,
      message: data,
      extension,
    },
  ])
  const history = await call(ann, 'GET', `/rooms/${den.room_id}/messages`)
  expect(history.body.data[0].attachment).toEqual(data.attachment)
  expect(await listFiles(den.room_id)).toHaveLength(1)
  expect(await discardedIn(den.room_id).selectAll().execute()).toEqual([])
})

test('pictures are detected by content, have dimensions, and need no text', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const picture = sharp({ create: { width: 30, height: 20, channels: 3, background: 'red' } })
  for (const format of ['png', 'jpeg', 'gif', 'webp', 'avif'] as const) {
    const file = filePart(await picture.clone().toFormat(format).toBuffer(), 'x.txt', 'text/plain')
    const { data } = (await sendMedia(ann, room_id, file)).body
    const type = `image/${format}`
    expect(data.content).toBe('')
    expect(data.attachment).toMatchObject({ content_type: type, dimensions: { width: 30, height: 20, type } })
  }
  const avif = await picture.clone().avif().toBuffer()
  avif.write('mif1', 8, 'latin1')
  const { attachment } = (await sendMedia(ann, room_id, filePart(avif))).body.data
  expect(attachment).toMatchObject({ content_type: 'image/avif', dimensions: { width: 30, height: 20 } })
  for (const value of ['<svg xmlns="http://www.w3.org/2000/svg"/>', '<html></html>', '%PDF-1.7']) {
    const { data } = (await sendMedia(ann, room_id, filePart(value, 'x.png', 'image/png'))).body
    expect(data.attachment.content_type).toBe('application/octet-stream')
    expect(data.attachment).not.toHaveProperty('dimensions')
  }
})

test('a picture has dimensions, whatever the size of its metadata', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const picture = sharp({ create: { width: 30, height: 20, channels: 3, background: 'red' } })
  const jpeg = await picture.jpeg().toBuffer()
  const segment = Buffer.concat([Buffer.from('ffe2ea62', 'hex'), Buffer.alloc(60_000)])
  const photo = Buffer.concat([jpeg.subarray(0, 2), ...Array(5).fill(segment), jpeg.subarray(2)])
  const { attachment } = (await sendMedia(ann, room_id, filePart(photo, 'x.jpg'))).body.data
  expect(attachment.dimensions).toEqual({ width: 30, height: 20, type: 'image/jpeg' })
})

test('a nonce, and exploding with its age, work as in text messages', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const nonce = { name: 'nonce', value: 'n' }
  const exploding = [
    { name: 'exploding', value: 'true' },
    { name: 'exploding_age', value: '60' },
  ]
  const first = await sendMedia(ann, room_id, nonce, filePart('one'), ...exploding)
  expect(first.body.data).toMatchObject({ exploding: true, exploding_age: 60 })
  const again = await sendMedia(ann, room_id, filePart('two'), nonce)
  expect(again.body.data).toEqual(first.body.data)
  expect(await listRows(room_id)).toHaveLength(1)
  // The second file belongs to no message, and will be erased.
  expect(await discardedIn(room_id).selectAll().execute()).toHaveLength(1)
})

test('a file over 25 MiB answers payload_too_large, one of 25 MiB is accepted', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const limit = 25 * 1024 * 1024
  const answer = await sendMedia(ann, room_id, filePart(Buffer.alloc(limit + 1)))
  expect([answer.status, answer.body]).toEqual([
    413,
    failure('payload_too_large', 'The request is too large'),
  ])
  expect((await sendMedia(ann, room_id, filePart(Buffer.alloc(limit)))).body.data.attachment.size).toBe(limit)
})

test('any other content type answers 415', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const types = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', undefined]
  for (const type of types) {
    const headers = type === undefined ? {} : { 'content-type': type }
    const url = `/rooms/${room_id}/media_messages`
    const answer = await call(ann, 'POST', url, undefined, { payload: '{', headers })
    expect(answer.status).toBe(415)
    expect(answer.body).toEqual(failure('internal_server_error', 'Something went wrong internally'))
  }
})

test('a content encoding answers 415', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const { payload, headers } = multipart(filePart('x'))
  const send = (encoding: string) => {
    const options = { payload, headers: { ...headers, 'content-encoding': encoding } }
    return call(ann, 'POST', `/rooms/${room_id}/media_messages`, undefined, options)
  }
  const answer = await send('gzip')
  expect(answer.status).toBe(415)
  expect(answer.body).toEqual(failure('internal_server_error', 'Something went wrong internally'))
  expect((await send('identity')).status).toBe(200)
})

test('in a one-to-one room with a block it answers no_permission', async () => {
  const [ann, bob] = [await user(), await user()]
  const roomId = await oneToOne(ann, bob)
  expect((await sendMedia(bob, roomId, filePart('x'))).status).toBe(200)
  await block(ann, bob)
  for (const caller of [ann, bob]) {
    const answer = await sendMedia(caller, roomId, filePart('x'))
    expect([answer.status, answer.body]).toEqual([400, noPermission])
  }
})

test('without ATTACH_MEDIA or SEND_MESSAGES it answers no_permission and stores nothing', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  for (const default_deny of [1, 64]) {
    const roomId = await houseRoom(den, { default_deny })
    const answer = await sendMedia(bob, roomId, filePart('x'))
    expect([answer.status, answer.body]).toEqual([400, noPermission])
    expect(await listFiles(roomId)).toEqual([])
  }
})

test('an unknown or unreadable room answers room_not_found', async () => {
  const [ann, bob, cat] = [await user(), await user(), await user()]
  for (const id of ['1', 'x', await oneToOne(ann, bob)]) {
    const answer = await sendMedia(cat, id, filePart('x'))
    expect([answer.status, answer.body]).toEqual([404, roomNotFound])
  }
})

test('a file that is too large or empty is refused before the permission', async () => {
  const ann = await user()
  const large = await sendMedia(ann, '1', filePart(Buffer.alloc(25 * 1024 * 1024 + 1)))
  expect([large.status, large.body.error.code]).toEqual([413, 'payload_too_large'])
  const empty = await sendMedia(ann, '1', filePart(''))
  expect(empty.body).toEqual(failure('invalid_schema', 'Required fields (file) not met'))
})

test('a body that ends after its file was erased answers 503 and sends nothing', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const { payload, headers } = multipart(filePart('slow'), { name: 'content', value: 'at last' })
  const body = payload as Buffer
  const afterFile = body.indexOf('--a-boundary-of-ours', 10)
  const dawdling = Readable.from(
    (async function* () {
      yield body.subarray(0, afterFile + 30)
      await expect.poll(() => listFiles(room_id)).toHaveLength(1)
      await db
        .updateTable('discarded_files')
        .set({ discarded_at: new Date(0) })
        .where('name', 'like', `attachments/${room_id}/%`)
        .execute()
      await eraseDiscarded(db, store)
      // The app may be erasing it as well.
      await expect.poll(() => listFiles(room_id)).toEqual([])
      yield body.subarray(afterFile + 30)
    })(),
  )
  const path = `/rooms/${room_id}/media_messages`
  const answer = await call(ann, 'POST', path, undefined, { payload: dawdling, headers })
  expect(answer.status).toBe(503)
  expect(answer.body.error.code).toBe('unavailable')
  expect(await listRows(room_id)).toEqual([])
})
