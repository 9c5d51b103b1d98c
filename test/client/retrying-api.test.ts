import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { ApiError } from '../../src/client/errors.ts'
import { OperationError, RetryingApi, type RetryingApiOptions } from '../../src/client/retrying-api.ts'
import { listen, portOf } from '../support/gateway.ts'
import { house, message, user } from '../support/world.ts'

const app = await listen()
const address = `http://127.0.0.1:${portOf(app)}`

/** An `Api` whose first responses are these: a status of a proxy, or `lost` for a response of the server that is lost. */
function apiBehind(failures: (number | 'lost')[], options: Partial<RetryingApiOptions> = {}) {
  const asked: string[] = []
  const left = [...failures]
  const fetchThrough: typeof options.fetch = async (url, init) => {
    asked.push(`${init.method} ${typeof init.body === 'string' ? init.body : ''}`)
    const failure = left.shift()
    if (failure === undefined) return fetch(url, init)
    if (failure !== 'lost') return new Response('Bad gateway', { status: failure })
    await (await fetch(url, init)).arrayBuffer()
    throw new TypeError('the connection was lost')
  }
  return { asked, api: new RetryingApi({ address, fetch: fetchThrough, ...options }) }
}

async function errorOf(call: Promise<unknown>): Promise<OperationError> {
  const error = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(OperationError)
  expect(error).toBeInstanceOf(ApiError)
  return error as OperationError
}

test('a message whose response was lost is sent again, and created once', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const waits: [string, number][] = []
  const onRetry: RetryingApiOptions['onRetry'] = (error, waitMs) => waits.push([error.code, waitMs])
  const { api, asked } = apiBehind(['lost'], { token: ann.token, onRetry })
  const params = { id: den.room_id }
  const sent = await api.call('sendMessage', { params, body: { content: 'once' } })
  expect(asked).toHaveLength(2)
  expect(asked[1]).toBe(asked[0])
  expect(waits).toEqual([['unreachable', expect.any(Number)]])
  const listed = await api.call('listMessages', { params })
  expect(listed.map(({ id }) => id)).toEqual([sent.id])
})

test.each([502, 503, 504])('a GET is repeated after a %i', async (status) => {
  const { api, asked } = apiBehind([status])
  expect(await api.call('getHealth')).toEqual({ status: 'ok' })
  expect(asked).toHaveLength(2)
})

test('a file is sent again', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const { api, asked } = apiBehind(['lost'], { token: ann.token })
  const params = { id: den.room_id }
  const body = { file: new Blob(['text']), filename: 'a.txt' }
  expect((await api.call('sendMediaMessage', { params, body })).attachment).not.toBeNull()
  expect(asked).toHaveLength(2)
  expect(await api.call('listMessages', { params })).toHaveLength(1)
})

test('a response that was cut off is asked for again', async () => {
  const answers = ['{"success":tr', '{"success":true,"data":{"status":"ok"}}']
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const answer = answers.shift()!
    if (answers.length === 0) response.end(answer)
    else response.write(answer, () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const api = new RetryingApi({ address: `http://127.0.0.1:${port}` })
  expect(await api.call('getHealth')).toEqual({ status: 'ok' })
  server.close()
})

test('other writes are not repeated', async () => {
  const ann = await user()
  const { api, asked } = apiBehind([503], { token: ann.token })
  expect(await errorOf(api.call('createHouse', { body: { name: 'Lobby' } }))).toMatchObject({ status: 503 })
  expect(asked).toHaveLength(1)
})

test.each([
  ['a refusal', 404],
  ['a failure of the server', 500],
])('%s is not repeated', async (_, status) => {
  const { api, asked } = apiBehind([status])
  expect(await errorOf(api.call('getHealth'))).toMatchObject({ status })
  expect(asked).toHaveLength(1)
})

test('nothing is repeated past retryMs', async () => {
  const { api, asked } = apiBehind([502], { retryMs: 0 })
  expect(await errorOf(api.call('getHealth'))).toMatchObject({ status: 502 })
  expect(asked).toHaveLength(1)
})

test('a signal ends the wait', async () => {
  const abort = new AbortController()
  const { api } = apiBehind([502], {
    onRetry: () => setTimeout(() => abort.abort(new Error('no longer wanted'))),
  })
  await expect(api.call('getHealth', { signal: abort.signal })).rejects.toThrow('no longer wanted')
})

test('an error names operation, path, status and code', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const id = await message(den.room_id, ann)
  const { api } = apiBehind([], { token: (await user()).token })
  const params = { id: den.room_id, message_id: id }
  const error = await errorOf(api.call('deleteMessage', { params }))
  const path = `DELETE /rooms/${den.room_id}/messages/${id}`
  expect(error).toMatchObject({ name: 'OperationError', operation: 'deleteMessage', path })
  expect(error.message).toBe(`deleteMessage (${path}): ${error.status} ${error.code}: ${error.serverMessage}`)
  const wrong = await errorOf(
    apiBehind([], { token: ann.token }).api.call('createHouse', { body: { name: '' } }),
  )
  expect(wrong).toMatchObject({ code: 'invalid_schema', fields: ['name'] })
})

test('an error has no token of a webhook and no code of an invite', async () => {
  const { api } = apiBehind([])
  const hook = { webhook_id: '1', token: 'secret' }
  const { message: text } = await errorOf(
    api.call('executeWebhook', { params: hook, body: { content: 'x' } }),
  )
  expect(text).toContain('POST /webhooks/1/{token}')
  expect((await errorOf(api.call('getInvite', { params: { code: 'hidden' } }))).message).not.toContain(
    'hidden',
  )
})

test.each([
  [undefined, 'and is missing'],
  ['', 'and is ""'],
  ['127.0.0.1:8080', 'and is "127.0.0.1:8080"'],
  ['localhost:8080', 'and is "localhost:8080"'],
  ['https://chat.example.org/v1', 'and is "https://chat.example.org/v1"'],
])('an address that is none is refused: %s', (address, reason) => {
  const message = `The address of the server must look like https://chat.example.org, ${reason}`
  expect(() => new RetryingApi({ address: address as string })).toThrow(new TypeError(message))
})

test('an address may end with a slash', async () => {
  expect(await new RetryingApi({ address: `${address}/` }).call('getHealth')).toEqual({ status: 'ok' })
})

test.each([
  ['sendMesage', {}, 'There is no operation sendMesage'],
  ['listMessages', undefined, 'listMessages (GET /rooms/{id}/messages): params.id is missing'],
  ['getRoom', { params: { id: '' } }, 'getRoom (GET /rooms/{id}): params.id is missing'],
  [
    'sendMediaMessage',
    { params: { id: '1' }, body: { file: Buffer.from('text') } },
    'sendMediaMessage (POST /rooms/{id}/media_messages): body.file must be a Blob',
  ],
])('a call that cannot be sent says why: %s', async (operation, input, message) => {
  const { api, asked } = apiBehind([])
  const call = api.call as unknown as (operation: string, input: unknown) => Promise<unknown>
  await expect(call.call(api, operation, input)).rejects.toThrow(new TypeError(message))
  expect(asked).toEqual([])
})

test('an error without a response says why there is none, without secrets', async () => {
  const call = (options: Partial<RetryingApiOptions>) =>
    errorOf(new RetryingApi({ address, retryMs: 0, ...options }).call('getHealth'))
  const { message, serverMessage } = await call({ address: 'http://127.0.0.1:2' })
  expect(message).toMatch(
    /^getHealth \(GET \/health\): unreachable: The server does not respond \(.*ECONNREFUSED.*\)$/,
  )
  expect(serverMessage).toBe('The server does not respond')
  expect((await call({ token: 'secret\n1' })).message).not.toContain('secret')
})
