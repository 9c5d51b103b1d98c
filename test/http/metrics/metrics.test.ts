import { AsyncLocalStorage } from 'node:async_hooks'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import { sumOf } from '../../support/metrics.ts'
import { bus, call, config, db, house, noAuth, presences, store, user } from '../../support/world.ts'

/** The value of one line of /metrics, 0 where it is not there. */
async function read(line: string): Promise<number> {
  const { text } = await call(null, 'GET', '/metrics')
  const found = text.split('\n').find((each) => each.startsWith(`${line} `))
  return found === undefined ? 0 : Number(found.slice(line.length + 1))
}

test('metrics are plain text outside of the envelope, and not in the OpenAPI document', async () => {
  const answer = await call(null, 'GET', '/metrics')
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toMatch(/^text\/plain/)
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.text).toMatch(/^hearth_sockets \d+$/m)
  expect(answer.text).toMatch(/^hearth_pool_waiting \d+$/m)
  expect(sumOf(answer.text, 'hearth_processes')).toBe(1)
  expect(answer.text).toMatch(/^# TYPE hearth_processes gauge$/m)
  expect(answer.text).toMatch(/^# TYPE hearth_requests_shed_total counter$/m)
  expect(answer.text).toMatch(/^process_resident_memory_bytes \d+$/m)
  expect(answer.text).toMatch(/^nodejs_heap_size_used_bytes \d+$/m)
  const { body } = await call(null, 'GET', '/docs/json')
  expect(Object.keys(body.paths)).not.toContain('/metrics')
})

test('a scrape asks the database for the last verified backup alone', async () => {
  const scrape = new AsyncLocalStorage<string[]>()
  const { query } = pg.Client.prototype
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given) {
    const [config] = given as unknown as [string | { text: string }]
    scrape.getStore()?.push(typeof config === 'string' ? config : config.text)
    return Reflect.apply(query, this, given)
  })
  onTestFinished(() => spy.mockRestore())
  // Without those of background work.
  const statements: string[] = []
  await scrape.run(statements, () => call(null, 'GET', '/metrics'))
  expect(statements).toEqual([expect.stringContaining('from "server_audit_log"')])
})

test('a scrape survives handles whose objects are collected', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  for (let n = 0; n < 100; n += 1) monitorEventLoopDelay()
  await nextTurn()
  collectGarbage()
  const { status, text } = await call(null, 'GET', '/metrics')
  expect(status).toBe(200)
  expect(text).toMatch(/^nodejs_active_resources\b/m)
})

test('requests are counted by route and status, whatever their ids, with and without /v1', async () => {
  const ann = await user()
  const served = 'hearth_requests_total{method="GET",route="/users/:ref",status="200"}'
  const missing = 'hearth_requests_total{method="GET",route="/users/:ref",status="400"}'
  const ofRoute = '{method="GET",route="/users/:ref"}'
  const seconds = () => read(`hearth_request_seconds_sum${ofRoute}`)
  const count = () => read(`hearth_request_seconds_count${ofRoute}`)
  const before = [await read(served), await read(missing)]
  const [countBefore, secondsBefore] = [await count(), await seconds()]
  const started = performance.now()
  await call(ann, 'GET', `/users/${ann.id}`)
  await call(ann, 'GET', `/v1/users/${ann.username}`)
  await call(ann, 'GET', '/users/1')
  expect([await read(served), await read(missing)]).toEqual([before[0]! + 2, before[1]! + 1])
  expect(await count()).toBe(countBefore + 3)
  const took = (await seconds()) - secondsBefore
  expect(took).toBeGreaterThan(0)
  // In ms it would be a thousand times as much, and they came one after the other.
  expect(took).toBeLessThan((performance.now() - started) / 100)
})

test('a path without a route is counted as none', async () => {
  const line = 'hearth_requests_total{method="any",route="none",status="404"}'
  const before = await read(line)
  await call(null, 'GET', '/nowhere')
  expect(await read(line)).toBe(before + 1)
})

test('a send counts one event and one written batch', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const events = 'hearth_events_total{type="message_created"}'
  const writes = 'hearth_batch_size_count{kind="write"}'
  const before = [await read(events), await read(writes)]
  const sent = await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'hello' })
  expect(sent.status).toBe(200)
  expect([await read(events), await read(writes)]).toEqual([before[0]! + 1, before[1]! + 1])
})

test('without a token of their own metrics are for this machine alone, and not through a proxy on it', async () => {
  const { body: missing } = await call(null, 'GET', '/nowhere')
  const strangers = [
    { remoteAddress: '192.0.2.7' },
    { remoteAddress: '::ffff:192.0.2.7' },
    { remoteAddress: '10.127.0.1' },
    { headers: { 'x-forwarded-for': '127.0.0.1' } },
    { headers: { 'x-real-ip': '127.0.0.1' } },
    { headers: { forwarded: 'for=127.0.0.1' } },
    { headers: { via: '1.1 proxy' } },
  ]
  for (const more of strangers) {
    const answer = await call(null, 'GET', '/metrics', undefined, more)
    expect([answer.status, answer.body], JSON.stringify(more)).toEqual([404, missing])
  }
  for (const remoteAddress of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']) {
    expect((await call(null, 'GET', '/metrics', undefined, { remoteAddress })).status).toBe(200)
  }
})

test('behind a proxy metrics need a token, also where nothing shows that it has passed a request on', async () => {
  for (const trustProxy of [1, ['10.0.0.0/8']]) {
    const other = await buildApp({ config: { ...config, trustProxy }, db, store, bus, presences })
    const { statusCode, headers } = await other.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
    expect([statusCode, headers['access-control-allow-origin']]).toEqual([404, undefined])
    await other.close()
  }
})

test('with METRICS_TOKEN, metrics are served to every address that sends it', async () => {
  const metricsToken = 'a-token-for-prometheus'
  const other = await buildApp({ config: { ...config, metricsToken }, db, store, bus, presences })
  const ask = (authorization: string) =>
    other.inject({ url: '/metrics', remoteAddress: '192.0.2.7', headers: { authorization } })
  const ann = await user()
  for (const wrong of ['', 'Bearer ', 'Bearer a-token', metricsToken, ann.token, `Bearer ${metricsToken}x`]) {
    const answer = await ask(wrong)
    expect([answer.statusCode, answer.json()], wrong).toEqual([400, noAuth])
  }
  expect(sumOf((await ask(`Bearer ${metricsToken}`)).body, 'hearth_processes')).toBe(1)
  expect((await other.inject({ url: '/metrics' })).statusCode).toBe(400)
  await other.close()
})

test('the processor time of a request is that of the process by the requests in the meantime', async () => {
  const ann = await user()
  const cost = async () => {
    const { text } = await call(null, 'GET', '/metrics')
    return [sumOf(text, 'process_cpu_seconds_total'), sumOf(text, 'hearth_requests_total')] as const
  }
  const before = await cost()
  for (let n = 0; n < 30; n += 1) await call(ann, 'GET', '/users/@me')
  const after = await cost()
  expect(after[1] - before[1]).toBe(31)
  const each = (after[0] - before[0]) / (after[1] - before[1])
  expect(each).toBeGreaterThan(0)
  // In µs it would be more.
  expect(each).toBeLessThan(10)
})
