import { expect, test } from 'vitest'
import { freeSpaceBelow } from '../../../src/database/space/free-space.ts'
import { type DatabaseSpace, watchSpace } from '../../../src/database/space/watch-space.ts'
import { otherApp } from '../../support/other-app.ts'
import { db, house, message, unavailable, user } from '../../support/world.ts'

const ann = await user()
const { id: house_id, room_id } = await house({ owner: ann })

/** An app whose database has this space. */
async function withSpace(state: DatabaseSpace['state'], freeBytes: number) {
  return otherApp({}, { databaseSpace: { state, freeBytes } })
}

/** The routes of docs/api.md#a-full-disk. */
const goingOn = [
  'POST /auth/login',
  'POST /auth/oidc',
  'POST /auth/logout',
  'POST /auth/verify-email',
  'POST /auth/forgot-password',
  'POST /auth/reset-password',
  'PATCH /users/@me/password',
  'POST /bots/{id}/token',
  'POST /rooms/{id}/messages/{message_id}/ack',
  'POST /rooms/{id}/messages/{message_id}',
  'POST /rooms/{id}/typing',
  'PATCH /admin/users/{id}',
]

test('on a full disk every route that writes is unavailable, but for those of docs/api.md', async () => {
  const { app } = await withSpace('full', 0)
  const unrefused: string[] = []
  for (const [path, operations] of Object.entries(app.swagger().paths ?? {})) {
    for (const verb of Object.keys(operations as object).map((each) => each.toUpperCase())) {
      if (!['POST', 'PUT', 'PATCH'].includes(verb)) continue
      const url = path.replaceAll(/\{[a-z_]+\}/g, '1')
      const answer = await app.inject({ method: verb as 'POST', url, payload: {} })
      if (answer.statusCode !== 503) unrefused.push(`${verb} ${path}`)
      else expect(answer.json()).toEqual(unavailable)
    }
  }
  expect(unrefused.sort()).toEqual([...goingOn].sort())
  expect(app.refusedForSpace).toBeGreaterThan(40)
})

test('on a full disk a send and an edit change nothing; reading, deleting and acks go on', async () => {
  const { call } = await withSpace('full', 0)
  const path = `/rooms/${room_id}/messages`
  const id = await message(room_id, ann, { content: 'first' })
  const sent = await call(ann, 'POST', path, { content: 'second' })
  expect([sent.status, sent.body]).toEqual([503, unavailable])
  expect(Number(sent.headers['retry-after'])).toBeGreaterThan(0)
  expect((await call(ann, 'PATCH', `${path}/${id}`, { content: 'changed' })).status).toBe(503)
  expect((await call(ann, 'POST', `${path}/${id}`, { content: 'changed' })).status).toBe(503)
  const listed = await call(ann, 'GET', path)
  expect(listed.body.data.map(({ content }: { content: string }) => content)).toEqual(['first'])
  expect((await call(ann, 'POST', `${path}/${id}`)).status).toBe(200)
  expect((await call(ann, 'POST', `${path}/${id}/ack`)).status).toBe(200)
  expect((await call(ann, 'DELETE', `${path}/${id}`)).status).toBe(200)
  expect((await call(ann, 'DELETE', `/houses/${house_id}/members/${ann.id}`)).status).not.toBe(503)
})

test('/ready and /metrics say how much the database may still take', async () => {
  for (const [state, shown] of [
    ['enough', {}],
    ['low', { database_space: 'low' }],
  ] as const) {
    const { call } = await withSpace(state, 12_345)
    expect((await call(null, 'GET', '/ready')).body).toEqual({
      success: true,
      data: { status: 'ok', ...shown },
    })
    await call(null, 'POST', '/houses', {})
    const { text } = await call(null, 'GET', '/metrics')
    expect(text).toContain('hearth_database_free_bytes 12345')
    expect(text).toContain('hearth_requests_refused_for_space_total 0')
  }
})

test('on a full disk the process is healthy but not ready, as it takes no messages', async () => {
  const { call } = await withSpace('full', 12_345)
  const ready = await call(null, 'GET', '/ready')
  expect([ready.status, ready.body]).toEqual([503, unavailable])
  expect((await call(null, 'GET', '/health')).status).toBe(200)
  await call(null, 'POST', '/houses', {})
  const { text } = await call(null, 'GET', '/metrics')
  expect(text).toContain('hearth_database_free_bytes 12345')
  expect(text).toContain('hearth_requests_refused_for_space_total 1')
})

test('a database that is larger than DATABASE_MAX_SIZE is full', async () => {
  const { space, stop } = await watchSpace(() => freeSpaceBelow(db, 2 ** 20))
  await stop()
  expect(space.state).toBe('full')
  const { call } = await otherApp({}, { databaseSpace: space })
  expect((await call(ann, 'POST', `/rooms/${room_id}/messages`, { content: 'hi' })).status).toBe(503)
})
