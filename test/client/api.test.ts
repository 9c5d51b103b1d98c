import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { Api } from '../../src/client/api.ts'
import { ApiError } from '../../src/client/errors.ts'
import { listen, portOf } from '../support/gateway.ts'
import { config, house, user } from '../support/world.ts'

const app = await listen()
const address = `http://127.0.0.1:${portOf(app)}`

/** A burst of one message, then one per second. */
const messages = { burst: 1, refillMs: 1_000 }
const strict = await listen({}, { rateLimit: true, rateLimits: { ...config.rateLimits, messages } })
const strictAddress = `http://127.0.0.1:${portOf(strict)}`

async function errorOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(ApiError)
  return error as ApiError
}

test('calls accept params, query and body, and return data', async () => {
  const ann = await user()
  const api = new Api({ address, token: ann.token })
  const made = await api.call('createHouse', { body: { name: 'Lobby' } })
  const params = { id: made.rooms[0]!.id }
  for (const content of ['one', 'two', 'three']) await api.call('sendMessage', { params, body: { content } })
  const listed = await api.call('listMessages', { params, query: { limit: 2 } })
  expect(listed.map(({ content }) => content)).toEqual(['three', 'two'])
  const found = await api.call('searchHouse', { params: { id: made.id }, query: { q: 'one' } })
  expect(found.map(({ content }) => content)).toEqual(['one'])
  expect(await searchOn(api, params, 'two')).toEqual([['two'], []])
  expect(await api.call('deleteHouse', { params: { id: made.id } })).toBeUndefined()
})

/** The pages of a search of a room, one message each, as long as a response names the next one. */
async function searchOn(api: Api, params: { id: string }, q: string): Promise<string[][]> {
  const pages: string[][] = []
  let next: string | undefined = String(2n ** 62n)
  while (next !== undefined) {
    const query = { q, limit: 1, before: next }
    next = undefined
    const onNextPage = (before: string) => {
      next = before
    }
    const found = await api.call('searchRoom', { params, query, onNextPage })
    pages.push(found.map(({ content }) => content))
  }
  return pages
}

test('an owner sets how long messages stay, which a member reads', async () => {
  const [ann, ben] = [await user(), await user()]
  const { id } = await house({ owner: ann, members: [ben] })
  const [owner, member] = [ann, ben].map(({ token }) => new Api({ address, token })) as [Api, Api]
  const body = { max_age: 86_400 }
  expect(await owner.call('setRetention', { params: { id }, body })).toMatchObject({ max_age: 86_400 })
  const { effective_max_age } = await member.call('getRetention', { params: { id } })
  expect(effective_max_age).toBe(86_400)
  const refused = await errorOf(member.call('setRetention', { params: { id }, body }))
  expect(refused.code).toBe('no_permission')
})

test('a call without a body sends an empty object if the method has bodies', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const invite = await new Api({ address, token: ann.token }).call('createInvite', { params: { id: den.id } })
  const api = new Api({ address, token: ben.token })
  const joined = await api.call('useInvite', { params: { code: invite.code } })
  expect(joined.house_id).toBe(den.id)
})

test('a webhook is executed without a token, and a reason comes into the audit log', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const api = new Api({ address, token: ann.token })
  const params = { id: den.id }
  const body = { room_id: den.room_id, name: 'Hook' }
  const { url } = await api.call('createWebhook', { params, body, auditReason: 'für Bauläufe 🏗' })
  const [, webhook_id, token] = /\/webhooks\/(\d+)\/(\w+)$/.exec(url)!
  const hook = { webhook_id: webhook_id!, token: token! }
  const nobody = new Api({ address })
  const sent = await nobody.call('executeWebhook', { params: hook, body: { content: 'x' } })
  expect(sent?.author).toMatchObject({ id: webhook_id, name: 'Hook' })
  const embeds = [{ title: 'y' }]
  expect(await nobody.call('executeWebhook', { params: hook, body: { embeds } })).toBeUndefined()
  const [entry] = await api.call('listAuditLog', { params, query: { limit: 1, action: 'webhook_created' } })
  expect(entry).toMatchObject({ target_id: webhook_id, reason: 'für Bauläufe 🏗' })
})

test('path parameters are encoded', async () => {
  const api = new Api({ address, token: (await user()).token })
  const { code } = await errorOf(api.call('getInvite', { params: { code: '../users/@me' } }))
  expect(code).toBe('invite_not_found')
})

test('a refusal is an ApiError with code, status and fields', async () => {
  const { token } = await user()
  const noToken = await errorOf(new Api({ address }).call('getOwnUser'))
  expect(noToken).toMatchObject({ code: 'no_auth', status: 400, fields: [] })
  const api = new Api({ address, token })
  const wrong = await errorOf(api.call('createHouse', { body: { name: '' } }))
  expect(wrong).toMatchObject({ code: 'invalid_schema', fields: ['name'] })
})

test('a token that is set later is used', async () => {
  const ann = await user()
  const api = new Api({ address: `${address}/` })
  api.token = ann.token
  expect((await api.call('getOwnUser')).id).toBe(ann.id)
})

test('a server that does not respond is unreachable', async () => {
  const error = await errorOf(new Api({ address: 'http://127.0.0.1:1' }).call('getHealth'))
  expect(error).toMatchObject({ code: 'unreachable', status: 0 })
})

test('the page of a proxy is unreadable', async () => {
  const proxy = createServer((_, answer) => {
    answer.writeHead(502, { 'Content-Type': 'text/html', 'Retry-After': '7' }).end('<h1>Bad gateway</h1>')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  const error = await errorOf(new Api({ address: `http://127.0.0.1:${port}` }).call('getHealth'))
  proxy.close()
  expect(error).toMatchObject({ code: 'unreadable', status: 502, retryAfterMs: 7_000 })
})

test('a message past the rate limit is sent after the wait', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const params = { id: den.room_id }
  const statuses: number[] = []
  const api = new Api({
    address: strictAddress,
    token: ann.token,
    fetch: async (url, init) => {
      const answer = await fetch(url, init)
      statuses.push(answer.status)
      return answer
    },
  })
  const sent: string[] = []
  // On a busy machine a second may pass between two of them.
  while (!statuses.includes(429) && sent.length < 20) {
    const content = `message ${sent.length}`
    await api.call('sendMessage', { params, body: { content } })
    sent.unshift(content)
  }
  expect(statuses).toContain(429)
  const listed = await api.call('listMessages', { params })
  expect(listed.map(({ content }) => content)).toEqual(sent)
})

test('without waiting a rate limit throws an error with retryAfterMs', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const api = new Api({ address: strictAddress, token: ann.token })
  const input = { params: { id: den.room_id }, body: { content: 'hi' }, rateLimitWaitMs: 0 }
  const send = () => api.call('sendMessage', input)
  await send()
  let error: unknown
  // On a busy machine a second may pass between two of them.
  for (let tries = 0; error === undefined && tries < 20; tries += 1) await send().catch((e) => (error = e))
  expect(error).toMatchObject({ code: 'rate_limit', status: 429 })
  expect((error as ApiError).retryAfterMs).toBeGreaterThan(0)
})

test('a signal ends the wait for a rate limit', async () => {
  const limited = () => Promise.resolve(new Response('{}', { status: 429, headers: { 'Retry-After': '50' } }))
  const abort = new AbortController()
  const api = new Api({
    address,
    fetch: () => {
      setTimeout(() => abort.abort(new Error('no longer wanted')))
      return limited()
    },
  })
  await expect(api.call('getHealth', { signal: abort.signal })).rejects.toThrow('no longer wanted')
})

test('nothing is sent with an aborted signal', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const api = new Api({ address, token: ann.token })
  const params = { id: den.room_id }
  const signal = AbortSignal.abort(new Error('too late'))
  await expect(api.call('sendMessage', { params, body: { content: 'hi' }, signal })).rejects.toThrow(
    'too late',
  )
  const body = { file: new Blob(['text']) }
  await expect(api.call('sendMediaMessage', { params, body, signal })).rejects.toThrow('too late')
  expect(await api.call('listMessages', { params })).toEqual([])
})

test('a message that is sent twice is created once', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const twice = new Api({
    address,
    token: ann.token,
    fetch: async (url, init) => {
      // Read, because an unread body keeps its connection open.
      await (await fetch(url, init)).arrayBuffer()
      return fetch(url, init)
    },
  })
  const params = { id: den.room_id }
  await twice.call('sendMessage', { params, body: { content: 'once' } })
  await twice.call('sendMediaMessage', { params, body: { file: new Blob(['text']), filename: 'a.txt' } })
  expect(await new Api({ address, token: ann.token }).call('listMessages', { params })).toHaveLength(2)
})

test('a file is sent with its fields, and fetched as a Blob', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const api = new Api({ address, token: ann.token })
  const file = new File(['some text'], 'notes.txt', { type: 'text/plain' })
  const body = { file, content: 'see this', exploding: true, exploding_age: 600 }
  const sent = await api.call('sendMediaMessage', { params: { id: den.room_id }, body })
  expect(sent).toMatchObject({ content: 'see this', exploding: true, exploding_age: 600 })
  expect(sent.attachment).toMatchObject({ filename: 'notes.txt', size: 9 })
  const { pathname, searchParams } = new URL(sent.attachment!.media_url)
  const [room_id, message_id, filename] = pathname.split('/').slice(-3) as [string, string, string]
  const key = searchParams.get('key')
  const query = key === null ? {} : { key }
  const blob = await api.call('getAttachment', { params: { room_id, message_id, filename }, query })
  expect(await blob.text()).toBe('some text')
})
