import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { eraseDiscarded } from '../../src/storage/discard.ts'
import { listRows, noPermission, refusesStrangers, roomNotFound } from '../support/messages.ts'
import { filePart, multipart, type Part } from '../support/multipart.ts'
import {
  call,
  db,
  failure,
  folder,
  house,
  houseRoom,
  oneToOne,
  type Person,
  published,
  store,
  user,
} from '../support/world.ts'

function send(caller: Person, roomId: string, ...parts: Part[]) {
  return call(caller, 'POST', `/rooms/${roomId}/media_messages`, undefined, multipart(...parts))
}

const listFiles = (roomId: string) => {
  return readdir(join(folder, 'files', 'attachments', roomId)).catch(() => [] as string[])
}

test('a file goes to the store and comes back byte for byte at its media_url', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const before = published.length
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, n) => n % 256))
  const text = { name: 'content', value: `look <@${ann.id}>` }
  const answer = await send(bob, den.room_id, filePart(content, 'a b.bin'), text)
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
  expect(published.slice(before)).toEqual([
    { type: 'message_created', room_id: den.room_id, house_id: den.id, message: data },
  ])
  const history = await call(ann, 'GET', `/rooms/${den.room_id}/messages`)
  expect(history.body.data[0].attachment).toEqual(data.attachment)
  expect(await listFiles(den.room_id)).toHaveLength(1)
  expect(await db.selectFrom('discarded_files').selectAll().execute()).toEqual([])
})

test('pictures are recognised by content, with their dimensions, and need no text', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const picture = sharp({ create: { width: 30, height: 20, channels: 3, background: 'red' } })
  for (const format of ['png', 'jpeg', 'gif', 'webp', 'avif'] as const) {
    const file = filePart(await picture.clone().toFormat(format).toBuffer(), 'x.txt', 'text/plain')
    const { data } = (await send(ann, room_id, file)).body
    const type = `image/${format}`
    expect(data.content).toBe('')
    expect(data.attachment).toMatchObject({ content_type: type, dimensions: { width: 30, height: 20, type } })
  }
  for (const value of ['<svg xmlns="http://www.w3.org/2000/svg"/>', '<html></html>', '%PDF-1.7']) {
    const { data } = (await send(ann, room_id, filePart(value, 'x.png', 'image/png'))).body
    expect(data.attachment.content_type).toBe('application/octet-stream')
    expect(data.attachment).not.toHaveProperty('dimensions')
  }
})

test('a nonce, and exploding with its age, work as in text messages', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const nonce = { name: 'nonce', value: 'n' }
  const exploding = [
    { name: 'exploding', value: 'true' },
    { name: 'exploding_age', value: '60' },
  ]
  const first = await send(ann, room_id, nonce, filePart('one'), ...exploding)
  expect(first.body.data).toMatchObject({ exploding: true, exploding_age: 60 })
  const again = await send(ann, room_id, filePart('two'), nonce)
  expect(again.body.data).toEqual(first.body.data)
  expect(await listRows(room_id)).toHaveLength(1)
  // The second file belongs to no message: it is noted as one to forget.
  expect(await db.selectFrom('discarded_files').selectAll().execute()).toHaveLength(1)
})

test('a part without a file name is text, also one that calls itself bytes', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const text = { name: 'content', value: 'wörd', type: 'application/octet-stream' }
  expect((await send(ann, room_id, filePart('x'), text)).body.data.content).toBe('wörd')
})

test('a file name is its last segment, without control characters, within its limit', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const names = { '../../etc/passwd': 'passwd', 'C:\\x\\y.txt': 'y.txt', 'a/': 'file', 'a\u0007b': 'ab' }
  for (const [given, kept] of Object.entries({ ...names, ['é'.repeat(200)]: 'é'.repeat(128) })) {
    expect((await send(ann, room_id, filePart('x', given))).body.data.attachment.filename).toBe(kept)
  }
})

test('no file, an empty one, or several answer invalid_schema and leave nothing', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const text = { name: 'content', value: 'hi' }
  const required = failure('invalid_schema', 'Required fields (file) not met')
  for (const parts of [
    [text],
    [filePart('')],
    [filePart(''), { name: 'nonce', value: '' }],
    [{ name: 'file', value: 'text' }],
    [{ name: 'file', value: 'bytes', type: 'application/octet-stream' }],
    [{ ...filePart('x'), name: 'other' }],
  ]) {
    const answer = await send(ann, room_id, ...parts)
    expect([answer.status, answer.body]).toEqual([400, required])
  }
  const several = await send(ann, room_id, filePart('one'), filePart('two'))
  expect(several.body).toEqual(failure('invalid_schema', 'Invalid fields (file)'))
  expect(await listRows(room_id)).toEqual([])
})

test('wrong text parts answer invalid_schema with their names', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const wrong: [string, string, string][] = [
    ['content', 'a'.repeat(4001), 'Invalid fields (content)'],
    ['nonce', '', 'Invalid fields (nonce)'],
    ['exploding', 'yes', 'Invalid fields (exploding)'],
    ['exploding_age', '5s', 'Invalid fields (exploding_age)'],
    ['exploding', 'true', 'Required fields (exploding_age) not met'],
  ]
  for (const [name, value, message] of wrong) {
    const answer = await send(ann, room_id, filePart('x'), { name, value })
    expect([answer.status, answer.body]).toEqual([400, failure('invalid_schema', message)])
  }
  expect(await listRows(room_id)).toEqual([])
})

test('an age that exploding needs is a required part, named with the file and before optional ones', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const exploding = { name: 'exploding', value: 'true' }
  const nonce = { name: 'nonce', value: '' }
  const age = (value: string) => ({ name: 'exploding_age', value })
  const required = (names: string) => failure('invalid_schema', `Required fields (${names}) not met`)
  const answers = [
    await send(ann, room_id, filePart('x'), exploding, age('soon')),
    await send(ann, room_id, filePart('x'), exploding, nonce),
    await send(ann, room_id, exploding),
    await send(ann, room_id, filePart('x'), exploding, age('5'), nonce),
  ]
  expect(answers.map((answer) => answer.body)).toEqual([
    required('exploding_age'),
    required('exploding_age'),
    required('file, exploding_age'),
    failure('invalid_schema', 'Invalid fields (nonce)'),
  ])
})

test('a file over 25 MiB answers payload_too_large, one of 25 MiB is taken', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const limit = 25 * 1024 * 1024
  const answer = await send(ann, room_id, filePart(Buffer.alloc(limit + 1)))
  expect([answer.status, answer.body]).toEqual([
    413,
    failure('payload_too_large', 'The request is too large'),
  ])
  expect((await send(ann, room_id, filePart(Buffer.alloc(limit)))).body.data.attachment.size).toBe(limit)
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

test('without ATTACH_MEDIA or SEND_MESSAGES it answers no_permission and stores nothing', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  for (const default_deny of [1, 64]) {
    const roomId = await houseRoom(den, { default_deny })
    const answer = await send(bob, roomId, filePart('x'))
    expect([answer.status, answer.body]).toEqual([400, noPermission])
    expect(await listFiles(roomId)).toEqual([])
  }
})

test('an unknown or unreadable room answers room_not_found', async () => {
  const [ann, bob, cat] = [await user(), await user(), await user()]
  for (const id of ['1', 'x', await oneToOne(ann, bob)]) {
    const answer = await send(cat, id, filePart('x'))
    expect([answer.status, answer.body]).toEqual([404, roomNotFound])
  }
})

test('a file too large, or an empty one, is refused as such also where nobody may send it', async () => {
  const ann = await user()
  const large = await send(ann, '1', filePart(Buffer.alloc(25 * 1024 * 1024 + 1)))
  expect([large.status, large.body.error.code]).toEqual([413, 'payload_too_large'])
  const empty = await send(ann, '1', filePart(''))
  expect(empty.body).toEqual(failure('invalid_schema', 'Required fields (file) not met'))
})

test('without a token, or with a faulty one, it answers no_auth', async () => {
  await refusesStrangers('POST', '/rooms/1/media_messages')
})

test('an age of many digits is out of range, as in text messages, not malformed', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const parts = [
    { name: 'exploding', value: 'true' },
    { name: 'exploding_age', value: '9999999999' },
  ]
  const { body } = await send(ann, room_id, filePart('x'), ...parts)
  expect(body.error.message).toBe('Required fields (exploding_age) not met')
})

test('a body that dawdles behind its file until that is erased is answered 503, and sends nothing', async () => {
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
      expect(await eraseDiscarded(db, store)).toBe(1)
      yield body.subarray(afterFile + 30)
    })(),
  )
  const path = `/rooms/${room_id}/media_messages`
  const answer = await call(ann, 'POST', path, undefined, { payload: dawdling, headers })
  expect(answer.status).toBe(503)
  expect(answer.body.error.code).toBe('unavailable')
  expect(await listRows(room_id)).toEqual([])
})

test('parts of unknown names are passed over, whatever they are called', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const odd = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'captcha', ''].map((name) => ({
    name,
    value: 'x',
  }))
  const content = { name: 'content', value: 'look' }
  const first = await send(ann, room_id, ...odd, filePart('one'), content)
  expect(first.body.data).toMatchObject({ content: 'look', attachment: { size: 3 } })
  const last = await send(ann, room_id, filePart('four'), content, filePart('x', 'x'), ...odd)
  expect(last.body.error.message).toBe('Invalid fields (file)')
  const file = { ...filePart('x'), name: '__proto__' }
  const files = await send(ann, room_id, file, filePart('four'), content, file)
  expect(files.body.data).toMatchObject({ content: 'look', attachment: { size: 4 } })
  const none = await send(ann, room_id, file, content)
  expect(none.body.error.message).toBe('Required fields (file) not met')
})

test('a body that breaks off behind such a part is refused, and sends nothing', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const { payload, headers } = multipart({ name: '__proto__', value: 'x' }, filePart('x'.repeat(500)))
  const path = `/rooms/${room_id}/media_messages`
  const cut = (payload as Buffer).subarray(0, -100)
  const answer = await call(ann, 'POST', path, undefined, { payload: cut, headers })
  expect([answer.status, answer.body.error?.code]).toEqual([400, 'invalid_schema'])
  expect(await listRows(room_id)).toEqual([])
})
