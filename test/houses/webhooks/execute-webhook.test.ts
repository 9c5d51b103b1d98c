import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { expect, test } from 'vitest'
import { idTimeMs } from '../../../src/ids.ts'
import { findMessageCreated } from '../../../src/messages/read/gateway-message-operations.ts'
import { watching } from '../../support/houses.ts'
import { listRows } from '../../support/messages.ts'
import { multipart } from '../../support/multipart.ts'
import { invalid, required, told } from '../../support/permissions.ts'
import { webhook, webhookRow } from '../../support/webhooks.ts'
import { call, db, expectTime, failure, house, houseRoom, user } from '../../support/world.ts'

/** A body as a service sends it, and the message that it becomes, by lines. */
type Fixture = {
  form:
    | 'own'
    | 'slack'
    | 'discord'
    | 'github'
    | 'gitlab'
    | 'alerts'
    | 'jenkins'
    | 'sentry'
    | 'teams'
    | 'other'
  event?: string
  encoding?: 'form' | 'multipart'
  file?: string
  body: object
  content: string[]
}

const folder = join(import.meta.dirname, 'fixtures')
const fixtures = readdirSync(folder).map((name) => {
  return { name, ...(JSON.parse(readFileSync(join(folder, name), 'utf8')) as Fixture) }
})

const [ann, ben] = [await user(), await user()]
const den = await house({ owner: ann, members: [ben] })

function sentAs({ encoding, event, file, body }: Fixture): InjectOptions {
  const headers = event === undefined ? {} : { 'x-github-event': event }
  if (encoding === 'multipart') {
    const json = { name: 'payload_json', value: JSON.stringify(body), type: 'application/json' }
    const log = { name: 'files[0]', value: 'x'.repeat(1000), filename: file! }
    return multipart(json, log)
  }
  if (encoding === undefined) return { headers }
  const payload = new URLSearchParams({ payload: JSON.stringify(body) }).toString()
  return { payload, headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' } }
}

test.each(fixtures)('$name becomes a message, and is answered as its sender expects', async (fixture) => {
  const hook = await webhook(den, { room_id: await houseRoom(den) })
  const body = fixture.encoding === undefined ? fixture.body : undefined
  const answer = await call(null, 'POST', hook.path, body, sentAs(fixture))
  const [row] = await listRows((await webhookRow(hook.id))!.room_id)
  expect(row?.content.split('\n')).toEqual(fixture.content)
  const { status, headers, text } = answer
  const type = headers['content-type']
  if (fixture.form === 'slack') expect([status, type, text]).toEqual([200, 'text/plain; charset=utf-8', 'ok'])
  else if (fixture.form === 'discord') expect([status, type, text]).toEqual([204, undefined, ''])
  else expect([status, answer.body.data.id]).toEqual([200, row!.id])
})

test('the message is by the account of the webhook, in no more keys than any other', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const hook = await webhook(den, { name: 'Build' })
  const { answer, events } = await watching(() => call(null, 'POST', hook.path, { content: `<@${ben.id}>` }))
  const said = (await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'x' })).body.data
  const { data } = answer.body
  expect(Object.keys(data)).toEqual(Object.keys(said))
  expect(Object.keys(data.author)).toEqual(Object.keys(said.author))
  expect(Object.keys(data.member)).toEqual(Object.keys(said.member))
  expect(data).toMatchObject({ author_id: hook.id, device_id: hook.id, house_id: den.id, exploding: null })
  expect(data.author).toMatchObject({ id: hook.id, name: 'Build', bot: true, presence: 'offline' })
  expect(data.member).toEqual({
    id: hook.id,
    user_id: hook.id,
    house_id: den.id,
    user: data.author,
    roles: [],
    presence: 'offline',
    last_permission_update: null,
    joined_at: new Date(idTimeMs(hook.id)).toISOString(),
  })
  expect(data.mentions.map(({ id }: { id: string }) => id)).toEqual([ben.id])
  const place = { room_id: den.room_id, house_id: den.id, message_id: data.id }
  const extension = { reply_to: null, pinned: false }
  expect(events).toEqual([{ type: 'message_created', ...place, message: data, extension }])
  // As it is sent to who resumes.
  expect(await findMessageCreated(db, place, 'http://hearth.test')).toEqual(data)
  const read = await call(ben, 'GET', `/rooms/${den.room_id}/messages/${data.id}`)
  expect(read.body.data.author).toMatchObject({ id: hook.id, name: 'Build', bot: true })
  const mentions = await call(ben, 'GET', '/streams/@me/mentions')
  expect(mentions.body.data).toMatchObject([{ id: data.id }])
})

test('a webhook mentions only who can read its room', async () => {
  const stranger = await user()
  const answer = await call(null, 'POST', (await webhook(den)).path, {
    content: `<@${stranger.id}> <@${ben.id}>`,
  })
  expect(answer.body.data.mentions).toMatchObject([{ id: ben.id }])
})

test.each<[string, object, boolean]>([
  ['content of Discord', { username: 'x', content: `<@${ben.id}>` }, true],
  [
    'content with all users allowed',
    { content: `<@!${ben.id}>`, allowed_mentions: { parse: ['users'] } },
    true,
  ],
  [
    'content with this user allowed',
    { content: `<@${ben.id}>`, allowed_mentions: { users: [ben.id] } },
    true,
  ],
  [
    'content with another allowed',
    { content: `<@${ben.id}>`, allowed_mentions: { parse: [], users: [ann.id] } },
    false,
  ],
  [
    'content with only roles allowed',
    { content: `<@${ben.id}>`, allowed_mentions: { parse: ['roles'] } },
    false,
  ],
  ['content with nothing allowed', { content: `<@!${ben.id}>`, allowed_mentions: { parse: [] } }, false],
  [
    'an embed',
    { embeds: [{ title: `<@${ben.id}>`, fields: [{ name: 'x', value: `<@${ben.id}>` }] }] },
    false,
  ],
  ['a poll', { poll: { question: { text: `<@${ben.id}>` } } }, false],
  ['a username', { username: `<@${ben.id}>`, content: 'x' }, false],
  ['markup of Slack', { text: `<@${ben.id}>` }, true],
  ['escaped text of Slack', { text: `&lt;@${ben.id}&gt;` }, false],
  [
    'plain text of Slack',
    { blocks: [{ type: 'header', text: { type: 'plain_text', text: `<@${ben.id}>` } }] },
    false,
  ],
  [
    'plain text of Slack in two parts',
    {
      blocks: [
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_section',
              elements: [
                { type: 'text', text: '<' },
                { type: 'text', text: `@${ben.id}>` },
              ],
            },
          ],
        },
      ],
    },
    false,
  ],
])('%s mentions as its sender means it', async (_kind, body, isMention) => {
  const hook = await webhook(den, { room_id: await houseRoom(den) })
  expect((await call(null, 'POST', hook.path, body)).status).toBeLessThan(300)
  const [row] = await listRows((await webhookRow(hook.id))!.room_id)
  expect(row!.mentions).toEqual(isMention ? [ben.id] : [])
})

test.each<[string, object, InjectOptions?]>([
  [
    'an emoji of Slack',
    {
      blocks: [
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_section',
              elements: [
                { type: 'emoji', name: 'bell', unicode: '7' },
                { type: 'text', text: 'x' },
              ],
            },
          ],
        },
      ],
    },
  ],
  ['an event of GitHub', { sender: { login: 'ann' } }, { headers: { 'x-github-event': 'odd\u0085event' } }],
  [
    'half of a character',
    { sha: '12345\u{1f600}\u{1f600}', context: 'x', state: 'y' },
    { headers: { 'x-github-event': 'status' } },
  ],
])(
  '%s does not bring control characters or broken text into a message',
  async (_kind, body, options = {}) => {
    const hook = await webhook(den, { room_id: await houseRoom(den) })
    expect((await call(null, 'POST', hook.path, body, options)).status).toBe(200)
    const [row] = await listRows((await webhookRow(hook.id))!.room_id)
    expect(row!.content).not.toMatch(/(?![\t\n])[\p{Cc}\ufffd]/u)
  },
)

test('who waits for it in the form of Discord is answered a message of theirs', async () => {
  const hook = await webhook(den)
  for (const body of [{ content: 'x' }, { content: 'x', username: 'Hook' }, { embeds: [{ title: 'x' }] }]) {
    const answer = await call(null, 'POST', `${hook.path}?wait=true`, body)
    expect(answer.status).toBe(200)
    const { data, ...beside } = answer.body
    expect(beside).toEqual({
      success: true,
      id: data.id,
      type: 0,
      channel_id: den.room_id,
      webhook_id: hook.id,
      content: data.content,
      timestamp: expectTime,
      author: { id: hook.id, username: 'Hook', avatar: null, bot: true },
    })
  }
  expect((await call(null, 'POST', `${hook.path}?wait=false`, { content: 'x' })).status).toBe(204)
})

test('a nonce answers the first message again', async () => {
  const hook = await webhook(den)
  const first = await call(null, 'POST', hook.path, { content: 'one', nonce: 'n' })
  const again = await call(null, 'POST', hook.path, { content: 'two', nonce: 'n' })
  expect(again.body.data).toEqual(first.body.data)
})

test('a body that says nothing, or in a wrong type, answers invalid_schema', async () => {
  const { path } = await webhook(den)
  const wrong: [object, object][] = [
    [{}, required('content')],
    [{ content: '' }, required('content')],
    [{ content: ' \n' }, required('content')],
    [{ content: 5 }, required('content')],
    [{ content: null }, required('content')],
    [{ content: 'a\u0000b' }, required('content')],
    [{ content: '🚀'.repeat(4001) }, required('content')],
    [{ content: 'x', nonce: 5 }, invalid('nonce')],
    [{ content: 'x', nonce: '' }, invalid('nonce')],
    [{ username: 'Hook' }, required('content')],
    [{ nonce: 'n' }, required('content')],
    [{ ready: null, list: [1], inner: { of: [] } }, required('content')],
    [{ content: '', embeds: [] }, required('content')],
    [{ embeds: {} }, invalid('embeds')],
    [{ embeds: ['text'] }, required('content')],
    [{ content: 'x', username: 5 }, invalid('username')],
    [{ text: '' }, required('text')],
    [{ text: { text: 'x' } }, required('text')],
    [{ blocks: [] }, required('text')],
    [{ blocks: [richText(' \n ')] }, required('text')],
    [{ blocks: 'x' }, invalid('blocks')],
    [{ attachments: 5, text: 'x' }, invalid('attachments')],
  ]
  for (const [body, answer] of wrong) {
    expect([body, ...told(await call(null, 'POST', path, body))]).toEqual([body, 400, answer])
  }
})

/** A block with one text. */
function richText(text: string) {
  const section = { type: 'rich_text_section', elements: [{ type: 'text', text }] }
  return { type: 'rich_text', elements: [section] }
}

test('text is written even where it is white space and marks besides', async () => {
  const hook = await webhook(den, { room_id: await houseRoom(den) })
  const { room_id } = (await webhookRow(hook.id))!
  await call(null, 'POST', hook.path, { text: '***' })
  await call(null, 'POST', hook.path, { text: `${'\n'.repeat(50_000)}late` })
  await call(null, 'POST', hook.path, { blocks: [richText(`${' '.repeat(5_000)}a`)] })
  const contents = (await listRows(room_id)).map(({ content }) => content)
  expect(contents).toEqual(['***', 'late', 'a'])
})

test('forms and multipart bodies that hold no message are refused', async () => {
  const { path } = await webhook(den)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const malformed = failure('invalid_schema', 'JSON body is malformed')
  const cases: [InjectOptions, number, object][] = [
    [{ payload: 'text=x', headers: form }, 400, required('content')],
    [{ payload: 'payload=%7B', headers: form }, 400, malformed],
    [{ payload: 'payload=[1]', headers: form }, 400, malformed],
    [multipart({ name: 'payload_json', value: '{' }), 400, malformed],
    [multipart({ name: 'username', value: 'x' }), 400, required('content')],
    [
      { payload: 'no parts', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
      400,
      required('content'),
    ],
    [
      multipart({ name: 'file', value: 'x'.repeat(300_000), filename: 'big' }),
      413,
      failure('payload_too_large', 'The request is too large'),
    ],
  ]
  for (const [sent, status, body] of cases) {
    expect(told(await call(null, 'POST', path, undefined, sent))).toEqual([status, body])
  }
  const parts = multipart({ name: 'content', value: 'in parts' }, { name: 'username', value: 'Hook' })
  expect((await call(null, 'POST', path, undefined, parts)).status).toBe(204)
  const [row] = (await listRows(den.room_id)).slice(-1)
  expect(row!.content).toBe('**Hook**\nin parts')
})

test('text that is too long is cut at a word, with its code block closed', async () => {
  const hook = await webhook(den, { room_id: await houseRoom(den) })
  const { room_id } = (await webhookRow(hook.id))!
  await call(null, 'POST', hook.path, { text: 'word '.repeat(1000) })
  await call(null, 'POST', hook.path, { text: `\`\`\`\n${'🚀'.repeat(5000)}\n\`\`\`` })
  await call(null, 'POST', hook.path, { content: 'é'.repeat(5000), tts: false })
  await call(null, 'POST', hook.path, { content: `~~~~\n\`\`\`\n${'a b '.repeat(2000)}`, tts: false })
  await call(null, 'POST', hook.path, { content: `see \`\`\` there ${'a b '.repeat(2000)}`, tts: false })
  const contents = (await listRows(room_id)).map(({ content }) => content)
  expect(contents.map((content) => [...content].length <= 4000)).toEqual(Array(5).fill(true))
  expect(contents[0]).toMatch(/^(?:word )+word…$/)
  expect(contents[1]).toMatch(/^```\n🚀+\n```\n…$/u)
  expect(contents[2]).toMatch(/^é{3992}…$/)
  expect(contents[3]).toMatch(/^~~~~\n```\n[ab ]+\n~~~~\n…$/)
  expect(contents[4]).toMatch(/[ab]…$/)
})

test('what a service sends is cleaned of what a message may not contain', async () => {
  const hook = await webhook(den, { room_id: await houseRoom(den) })
  await call(null, 'POST', hook.path, { text: 'a\u0000b\ud800\u0007\r\nc\td' })
  const [row] = await listRows((await webhookRow(hook.id))!.room_id)
  expect(row!.content).toBe('ab\ufffd\nc\td')
})

test('hostile bodies are answered at once', async () => {
  const { path } = await webhook(den)
  const long = 200_000
  const bodies = [
    { text: '<'.repeat(long) },
    { text: '*'.repeat(long) },
    { text: `*a${' *'.repeat(long / 2)}` },
    { text: '~'.repeat(long) },
    { text: `x${' '.repeat(long)}y` },
    {
      blocks: [
        { type: 'rich_text', elements: [{ elements: [{ type: 'text', text: `a${' '.repeat(long)}b` }] }] },
      ],
    },
    { blocks: Array.from({ length: 9_000 }, () => ({ type: 'divider' })) },
    { embeds: Array.from({ length: 19_000 }, () => ({})), content: 'x' },
    { content: '`'.repeat(long), tts: true },
  ]
  for (const body of bodies) {
    expect([200, 204, 400, 413]).toContain((await call(null, 'POST', path, body)).status)
  }
})

const full = (text: string) => text.repeat(24_000 / text.length)
const manyOf = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item)

test.each<[string, object]>([
  [
    "a text that Slack's blocks nearly contain",
    {
      text: `${'a'.repeat(12_000)}b${'a'.repeat(11_000)}`,
      blocks: manyOf(40, { type: 'markdown', text: full('a') }),
    },
  ],
  [
    'many mentions, and many whom they may reach',
    {
      content: 'x',
      allowed_mentions: { users: manyOf(4_900, '') },
      components: manyOf(40, { label: full('<@1 ') }),
    },
  ],
  ['many texts', { text: 'x', attachments: manyOf(170, { text: full('*a *b ~a <a|b>..') }) }],
  ['objects that say nothing', { text: 'x', blocks: manyOf(12, { elements: manyOf(4_000, {}) }) }],
  [
    'alerts of many lines',
    { alerts: manyOf(10, { annotations: { summary: full('a\n'), message: full('a\n') } }) },
  ],
])('a body of %s takes no longer than one that is as large', async (_what, body) => {
  const { path } = await webhook(den)
  const started = performance.now()
  expect([200, 204, 400, 413]).toContain((await call(null, 'POST', path, body)).status)
  expect(performance.now() - started).toBeLessThan(800)
})

test('more values than Slack or Discord have are refused', async () => {
  const { path } = await webhook(den)
  const sent = (body: object) => call(null, 'POST', path, body)
  const rows = manyOf(1_000, { type: 'divider' })
  expect((await sent({ text: 'x', blocks: rows })).status).toBe(200)
  for (const body of [{ text: 'x', blocks: manyOf(3_000, rows[0]) }, { embeds: manyOf(5_001, {}) }]) {
    expect((await sent(body)).status).toBe(413)
  }
  expect((await sent({ text: 'x', of_another: manyOf(9_000, {}) })).status).toBe(200)
})

test('the address with /slack or /github takes a body of that service', async () => {
  const hook = await webhook(den, { room_id: await houseRoom(den) })
  const slack = await call(null, 'POST', `${hook.path}/slack`, { text: '*bold*', embeds: [] })
  expect([slack.status, slack.text]).toEqual([200, 'ok'])
  const github = await call(null, 'POST', `${hook.path}/github`, { zen: 'Keep it *simple*.' })
  expect(github.status).toBe(200)
  const rows = await listRows((await webhookRow(hook.id))!.room_id)
  expect(rows.map(({ content }) => content)).toEqual(['**bold**', '**GitHub** sent in GitHub'])
  expect(told(await call(null, 'POST', `${hook.path}/github`, { content: 'x' }))).toEqual([
    400,
    required('content'),
  ])
  expect(told(await call(null, 'POST', `${hook.path}/teams`, { text: 'x' }))).toEqual([
    404,
    failure('not_found', 'Not found'),
  ])
})

test('a push of 2,000 commits is a message, and a body that is larger still is refused', async () => {
  const hook = await webhook(den, { room_id: await houseRoom(den) })
  const commit = { id: 'a'.repeat(40), message: 'x'.repeat(900), added: ['a', 'b'], author: { name: 'Ann' } }
  const commits = Array.from({ length: 2_000 }, (_, number) => ({
    ...commit,
    url: `https://e.org/${number}`,
  }))
  const event = { headers: { 'x-github-event': 'push' } }
  const body = { ref: 'refs/heads/main', commits, sender: { login: 'ann' } }
  expect((await call(null, 'POST', hook.path, body, event)).status).toBe(200)
  const [row] = await listRows((await webhookRow(hook.id))!.room_id)
  const lines = row!.content.split('\n')
  expect(lines[0]).toBe('**ann** pushed 2000 commits to branch `main` of GitHub')
  expect(lines.at(-1)).toBe('- and 1990 more')
  const larger = { ...body, commits: [...commits, ...commits, ...commits] }
  expect((await call(null, 'POST', hook.path, larger, event)).status).toBe(413)
  // Without the token, the server does not read so much.
  const wrong = hook.path.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  expect((await call(null, 'POST', wrong, body, event)).status).toBe(404)
})

test('a body that is no object of JSON is refused in words', async () => {
  const { path } = await webhook(den)
  const malformed = failure('invalid_schema', 'JSON body is malformed')
  for (const [type, payload] of [
    ['text/plain', 'the build failed'],
    ['application/xml', '<build/>'],
    ['application/json', '["build"]'],
  ]) {
    const answer = await call(null, 'POST', path, undefined, { payload, headers: { 'content-type': type } })
    expect([type, ...told(answer)]).toEqual([type, 400, malformed])
  }
})
