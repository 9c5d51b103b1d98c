import { expect, test } from 'vitest'
import { sendMedia } from '../../support/media.ts'
import { listRows } from '../../support/messages.ts'
import { filePart, multipart } from '../../support/multipart.ts'
import { call, failure, house, user } from '../../support/world.ts'

test('a part without a file name is text, also with the type application/octet-stream', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const text = { name: 'content', value: 'wörd', type: 'application/octet-stream' }
  expect((await sendMedia(ann, room_id, filePart('x'), text)).body.data.content).toBe('wörd')
})

test('a text part with a JSON type is used as sent, not parsed', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  for (const type of ['application/json', 'Application/JSON; charset=utf-8']) {
    for (const value of ['{"a":"ö"}', '"hi"', 'no JSON', '[1]', 'null']) {
      const text = { name: 'content', value, type }
      const answer = await sendMedia(ann, room_id, text, filePart('x'))
      expect([value, answer.body.data?.content]).toEqual([value, value])
    }
    const long = { name: 'content', value: `"${'x'.repeat(70_000)}"`, type }
    const tooLarge = failure('payload_too_large', 'The request is too large')
    expect((await sendMedia(ann, room_id, long, filePart('x'))).body).toEqual(tooLarge)
  }
  const named = { name: 'file', value: '{}', type: 'application/json' }
  const missing = failure('invalid_schema', 'Required fields (file) not met')
  expect((await sendMedia(ann, room_id, named)).body).toEqual(missing)
  const file = filePart('{}', 'x.json', 'application/json')
  expect((await sendMedia(ann, room_id, file)).body.data.attachment).toMatchObject({
    filename: 'x.json',
    size: 2,
  })
})

test('a file name is its last segment, of visible characters, within its limit', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const names = {
    '../../etc/passwd': 'passwd',
    'C:\\x\\y.txt': 'y.txt',
    'a/': 'file',
    'a\u0007b': 'ab',
    'a\u202Egpj.exe': 'agpj.exe',
    '\u2066\u200F': 'file',
  }
  for (const [given, kept] of Object.entries({ ...names, ['é'.repeat(200)]: 'é'.repeat(128) })) {
    expect((await sendMedia(ann, room_id, filePart('x', given))).body.data.attachment.filename).toBe(kept)
  }
})

test('no file, an empty one, or several answer invalid_schema and store nothing', async () => {
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
    const answer = await sendMedia(ann, room_id, ...parts)
    expect([answer.status, answer.body]).toEqual([400, required])
  }
  const several = await sendMedia(ann, room_id, filePart('one'), filePart('two'))
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
    const answer = await sendMedia(ann, room_id, filePart('x'), { name, value })
    expect([answer.status, answer.body]).toEqual([400, failure('invalid_schema', message)])
  }
  expect(await listRows(room_id)).toEqual([])
})

test('a text part over 64 KiB answers payload_too_large', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const answer = await sendMedia(ann, room_id, filePart('x'), { name: 'captcha', value: 'x'.repeat(65_537) })
  expect([answer.status, answer.body]).toEqual([
    413,
    failure('payload_too_large', 'The request is too large'),
  ])
})

test('a body of twenty parts is read, one of more answers payload_too_large and sends nothing', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const captchas = (count: number) => Array.from({ length: count }, () => ({ name: 'captcha', value: 'x' }))
  expect((await sendMedia(ann, room_id, filePart('x'), ...captchas(20))).body).toEqual(
    failure('payload_too_large', 'The request is too large'),
  )
  expect(await listRows(room_id)).toEqual([])
  expect((await sendMedia(ann, room_id, filePart('x'), ...captchas(19))).status).toBe(200)
})

test('exploding requires an age, named with the file and before optional parts', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const exploding = { name: 'exploding', value: 'true' }
  const nonce = { name: 'nonce', value: '' }
  const age = (value: string) => ({ name: 'exploding_age', value })
  const required = (names: string) => failure('invalid_schema', `Required fields (${names}) not met`)
  const answers = [
    await sendMedia(ann, room_id, filePart('x'), exploding, age('soon')),
    await sendMedia(ann, room_id, filePart('x'), exploding, nonce),
    await sendMedia(ann, room_id, exploding),
    await sendMedia(ann, room_id, filePart('x'), exploding, age('5'), nonce),
  ]
  expect(answers.map((answer) => answer.body)).toEqual([
    required('exploding_age'),
    required('exploding_age'),
    required('file, exploding_age'),
    failure('invalid_schema', 'Invalid fields (nonce)'),
  ])
})

test('an age of many digits is out of range, as in text messages, not malformed', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const parts = [
    { name: 'exploding', value: 'true' },
    { name: 'exploding_age', value: '9999999999' },
  ]
  const { body } = await sendMedia(ann, room_id, filePart('x'), ...parts)
  expect(body.error.message).toBe('Required fields (exploding_age) not met')
})

test('parts with unknown names are ignored', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const odd = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'captcha', ''].map((name) => ({
    name,
    value: 'x',
  }))
  const content = { name: 'content', value: 'look' }
  const first = await sendMedia(ann, room_id, ...odd, filePart('one'), content)
  expect(first.body.data).toMatchObject({ content: 'look', attachment: { size: 3 } })
  const last = await sendMedia(ann, room_id, filePart('four'), content, filePart('x', 'x'), ...odd)
  expect(last.body.error.message).toBe('Invalid fields (file)')
  const file = { ...filePart('x'), name: '__proto__' }
  const files = await sendMedia(ann, room_id, file, filePart('four'), content, file)
  expect(files.body.data).toMatchObject({ content: 'look', attachment: { size: 4 } })
  const none = await sendMedia(ann, room_id, file, content)
  expect(none.body.error.message).toBe('Required fields (file) not met')
})

test('a body that breaks off after such a part is refused and sends nothing', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const { payload, headers } = multipart({ name: '__proto__', value: 'x' }, filePart('x'.repeat(500)))
  const path = `/rooms/${room_id}/media_messages`
  const cut = (payload as Buffer).subarray(0, -100)
  const answer = await call(ann, 'POST', path, undefined, { payload: cut, headers })
  expect([answer.status, answer.body.error?.code]).toEqual([400, 'invalid_schema'])
  expect(await listRows(room_id)).toEqual([])
})
