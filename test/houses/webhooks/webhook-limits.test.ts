import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { multipart } from '../../support/multipart.ts'
import { otherApp } from '../../support/other-app.ts'
import { webhook } from '../../support/webhooks.ts'
import { failure, house, user } from '../../support/world.ts'

let time = Date.UTC(2026, 0, 1)
const { call } = await otherApp({ rateLimit: true }, { now: () => time })
const den = await house({ owner: await user() })
let addresses = 0

function send(path: string, body: object = { content: 'x' }, remoteAddress?: string) {
  addresses += 1
  return call(null, 'POST', path, body, {
    remoteAddress: remoteAddress ?? `10.1.${addresses >> 8}.${addresses & 255}`,
  })
}

test('a webhook sends ten messages at once and five a second, from however many addresses', async () => {
  const [hook, other] = [await webhook(den), await webhook(den)]
  const first = await send(hook.path)
  expect(first.headers).toMatchObject({ 'ratelimit-limit': '10', 'ratelimit-remaining': '9' })
  for (let i = 0; i < 9; i += 1) expect((await send(hook.path)).status).toBe(200)
  for (const body of [{ content: 'x' }, { text: 'x' }, { embeds: [{ title: 'x' }] }]) {
    const refused = await send(hook.path, body)
    const { expires_at, ...rest } = refused.body
    expect([refused.status, rest]).toEqual([429, failure('rate_limit', 'You are being rate limited')])
    expect(expires_at).toBe(Math.ceil((time + 200) / 1000))
    expect(refused.headers['retry-after']).toBe('1')
  }
  expect((await send(other.path)).status).toBe(200)
  time += 200
  expect((await send(hook.path)).status).toBe(200)
  expect((await send(hook.path)).status).toBe(429)
})

test('all webhooks in the houses of a person send 100 messages at once, whoever else owns others', async () => {
  const ann = await user()
  const [one, two] = [await house({ owner: ann }), await house({ owner: ann })]
  const hooks = await Promise.all(Array.from({ length: 12 }, (_, n) => webhook(n % 2 ? one : two)))
  for (let n = 0; n < 100; n += 1) expect((await send(hooks[n % 12]!.path)).status).toBe(200)
  const refused = await send(hooks[11]!.path)
  expect([refused.status, refused.headers['ratelimit-limit']]).toEqual([429, '100'])
  expect((await send((await webhook(den)).path)).status).toBe(200)
})

test('a large body counts as several messages of the owner, and is not read once there are none left', async () => {
  const [hook, other] = [await webhook(await house({ owner: await user() })), await webhook(den)]
  const large = { text: 'x'.repeat(1024 * 1024 - 100) }
  const small = { text: 'x'.repeat(60_000) }
  for (let n = 0; n < 6; n += 1) expect((await send(hook.path, large)).status).toBe(200)
  for (const body of [large, small, small, small]) {
    expect((await send(hook.path, body)).status).toBe(body === large ? 429 : 200)
  }
  time += 200
  expect((await send(other.path, large)).status).toBe(200)
})

test('who has not the token uses up nothing of the webhook, but what its address may ask', async () => {
  const hook = await webhook(den)
  const wrong = `/webhooks/${hook.id}/${'0'.repeat(128)}`
  const statuses = []
  for (let i = 0; i < 101; i += 1) statuses.push((await send(wrong, { content: 'x' }, '10.9.9.9')).status)
  expect(new Set(statuses.slice(0, 100))).toEqual(new Set([404]))
  expect(statuses[100]).toBe(429)
  expect((await send(hook.path)).headers['ratelimit-remaining']).toBe('9')
})

test('a body over 4 MiB is too large', async () => {
  const answer = await send((await webhook(den)).path, { text: 'x'.repeat(4 * 1024 * 1024) })
  expect(answer.status).toBe(413)
})

test.each([[[300]], [[200, 200]]])(
  'files of %j KiB are too large, also in a body that does not say how long it is',
  async (sizes) => {
    const files = sizes.map((size, n) => {
      return { name: `files[${n}]`, value: 'x'.repeat(size * 1024), filename: `${n}.log` }
    })
    const { payload, headers } = multipart({ name: 'payload_json', value: '{"content":"x"}' }, ...files)
    const { path } = await webhook(den)
    const ask = (stream: string | object) =>
      call(null, 'POST', path, undefined, { payload: stream, headers, remoteAddress: '10.2.0.1' })
    expect((await ask(payload as Buffer)).status).toBe(413)
    expect((await ask(Readable.from([payload as Buffer]))).status).toBe(413)
  },
)
