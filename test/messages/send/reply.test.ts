import { expect, test } from 'vitest'
import { listen, logIn } from '../../support/gateway.ts'
import { messageNotFound } from '../../support/messages.ts'
import { filePart, multipart } from '../../support/multipart.ts'
import { block, call, failure, house, houseRoom, message, type Person, user } from '../../support/world.ts'

const app = await listen()

async function scene() {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const id = await message(den.room_id, bob, { content: 'x'.repeat(300) })
  return { ann, bob, den, id, url: `/rooms/${den.room_id}/messages` }
}

function compact({ id, username }: Person) {
  return { icon: null, id, username, name: username, header: null, flags: 0, bot: false }
}

const quoted = (id: string, author: Person, content: string) => ({ id, author: compact(author), content })
const gone = (id: string) => ({ id, author: null, content: null })

test('a reply quotes the message it answers, wherever extended clients read it', async () => {
  const { ann, bob, den, id, url } = await scene()
  const reply_to = quoted(id, bob, 'x'.repeat(200))
  const sent = await call(ann, 'POST', `${url}?extended=true`, { content: 'needle', reply_to_id: id })
  expect(sent.body.data).toMatchObject({ reply_to, pinned: false })
  expect(sent.body.data).not.toHaveProperty('reactions')
  const path = `${url}/${sent.body.data.id}?extended=true`
  expect((await call(ann, 'PATCH', path, { content: 'needle!' })).body.data).toMatchObject({ reply_to })
  expect((await call(ann, 'POST', path, { content: 'needle?' })).body.data).toMatchObject({ reply_to })
  const lists = [
    url,
    `${url}/search?q=needle`,
    `/houses/${den.id}/messages/search?q=needle`,
    '/streams/@me/feed',
  ]
  for (const list of [...lists, '/streams/@me/mentions']) {
    const answer = await call(bob, 'GET', `${list}${list.includes('?') ? '&' : '?'}extended=true`)
    expect(answer.body.data[0], list).toMatchObject({ reply_to, reactions: [], pinned: false })
  }
  expect((await call(bob, 'GET', path)).body.data).toMatchObject({ reply_to, reactions: [], pinned: false })
  const plain = await call(bob, 'GET', `${url}/${id}?extended=true`)
  expect(plain.body.data).toMatchObject({ reply_to: null, reactions: [], pinned: false })
})

test('an attachment can be a reply', async () => {
  const { ann, bob, id, den } = await scene()
  const send = (...more: { name: string; value: string }[]) =>
    call(
      ann,
      'POST',
      `/rooms/${den.room_id}/media_messages?extended=true`,
      undefined,
      multipart({ name: 'reply_to_id', value: id }, ...more, filePart('x', 'x.txt')),
    )
  const sent = (await send()).body.data
  expect(sent.reply_to).toEqual(quoted(id, bob, 'x'.repeat(200)))
  expect(sent.mentions.map((one: Person) => one.id)).toEqual([bob.id])
  expect((await send({ name: 'reply_mention', value: 'false' })).body.data.mentions).toEqual([])
  const wrong = await send({ name: 'reply_mention', value: 'no' })
  expect(wrong.body).toEqual(failure('invalid_schema', 'Invalid fields (reply_mention)'))
})

test('a reply to a message that is gone quotes nobody', async () => {
  const { ann, bob, id, url } = await scene()
  const sent = await call(ann, 'POST', url, { content: 'x', reply_to_id: id })
  await call(bob, 'DELETE', `${url}/${id}`)
  const answer = await call(ann, 'GET', `${url}/${sent.body.data.id}?extended=true`)
  expect(answer.body.data.reply_to).toEqual(gone(id))
})

test('a reply to an exploded message quotes nobody', async () => {
  const { ann, den, url } = await scene()
  const id = await message(den.room_id, ann, { expires_at: new Date(Date.now() - 1) })
  const answer = await call(ann, 'POST', url, { content: 'x', reply_to_id: id })
  expect([answer.status, answer.body]).toEqual([404, messageNotFound])
})

test('the author of the answered message is mentioned, also after an edit', async () => {
  const { ann, bob, id, url } = await scene()
  const sent = await call(ann, 'POST', url, { content: `hi <@${ann.id}>`, reply_to_id: id })
  const mentioned = (answer: { body: { data: { mentions: Person[] } } }) =>
    answer.body.data.mentions.map((one) => one.id)
  expect(mentioned(sent)).toEqual([bob.id, ann.id])
  const edited = await call(ann, 'PATCH', `${url}/${sent.body.data.id}`, { content: 'hi' })
  expect(mentioned(edited)).toEqual([bob.id])
  const inbox = await call(bob, 'GET', '/streams/@me/mentions')
  expect(inbox.body.data.map((one: { id: string }) => one.id)).toEqual([sent.body.data.id])
})

test('with reply_mention false the author is not mentioned, also after an edit', async () => {
  const { ann, bob, id, url } = await scene()
  const sent = await call(ann, 'POST', url, { content: 'x', reply_to_id: id, reply_mention: false })
  const edited = await call(ann, 'PATCH', `${url}/${sent.body.data.id}`, { content: 'hi' })
  expect([sent.body.data.mentions, edited.body.data.mentions]).toEqual([[], []])
  expect((await call(bob, 'GET', '/streams/@me/mentions')).body.data).toEqual([])
})

test('a reply does not count for an author who has blocked its sender', async () => {
  const { ann, bob, den, id, url } = await scene()
  await block(bob, ann)
  await call(ann, 'POST', url, { content: 'x', reply_to_id: id })
  expect((await call(bob, 'GET', '/streams/@me/mentions')).body.data).toEqual([])
  const state = await call(bob, 'GET', '/users/@me/read-state')
  expect(state.body.data[den.room_id]?.mention_count ?? 0).toBe(0)
})

test('a message of another room, or of none, cannot be answered', async () => {
  const { ann, den, url } = await scene()
  const elsewhere = await message(await houseRoom(den), ann)
  for (const reply_to_id of [elsewhere, '1', '0', 'x', '']) {
    const answer = await call(ann, 'POST', url, { content: 'x', reply_to_id })
    expect([answer.status, answer.body], reply_to_id).toEqual([404, messageNotFound])
  }
  expect((await call(ann, 'GET', url)).body.data).toHaveLength(1)
})

test('reply_to_id and reply_mention of a wrong type answer invalid_schema', async () => {
  const { ann, id, url } = await scene()
  for (const wrong of [{ reply_to_id: null }, { reply_to_id: 5 }, { reply_to_id: id, reply_mention: 'no' }]) {
    const answer = await call(ann, 'POST', url, { content: 'x', ...wrong })
    const name = 'reply_mention' in wrong ? 'reply_mention' : 'reply_to_id'
    expect(answer.body).toEqual(failure('invalid_schema', `Invalid fields (${name})`))
  }
})

test('extended is true or false', async () => {
  const { ann, url } = await scene()
  for (const [method, path, body] of [
    ['GET', url],
    ['GET', '/streams/@me/feed'],
    ['POST', url, { content: 'x' }],
  ] as const) {
    const answer = await call(ann, method, `${path}?extended=yes`, body)
    expect(answer.body).toEqual(failure('invalid_schema', 'Invalid fields (extended)'))
    expect((await call(ann, method, `${path}?extended=false`, body)).status).toBe(200)
  }
})

test('the same nonce answers the reply that was sent first', async () => {
  const { ann, bob, id, url } = await scene()
  const body = { content: 'x', nonce: 'n', reply_to_id: id }
  const first = await call(ann, 'POST', `${url}?extended=true`, body)
  const again = await call(ann, 'POST', `${url}?extended=true`, body)
  expect(again.body.data).toEqual(first.body.data)
  expect(again.body.data.reply_to).toEqual(quoted(id, bob, 'x'.repeat(200)))
})

test('extended sessions receive replies with their quote, others as before', async () => {
  const { ann, bob, id, url } = await scene()
  const [plain, extended] = [await logIn(app, bob), await logIn(app, bob, { extended: true })]
  const sent = await call(ann, 'POST', url, { content: 'x', reply_to_id: id })
  await call(ann, 'PATCH', `${url}/${sent.body.data.id}`, { content: 'y' })
  for (const name of ['MESSAGE_CREATE', 'MESSAGE_UPDATE']) {
    const [old, more] = [(await plain.next(name)).d, (await extended.next(name)).d]
    expect(old).not.toHaveProperty('reply_to')
    expect(more).toEqual({ ...old, reply_to: quoted(id, bob, 'x'.repeat(200)), pinned: false })
  }
})
