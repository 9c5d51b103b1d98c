import { expect, test, vi } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import { atEnd } from '../../support/at-end.ts'
import { listen } from '../../support/gateway.ts'
import { type HalfSent, sendHalf, sendHalfOfJson } from '../../support/half-sent.ts'
import { listRows } from '../../support/messages.ts'
import { filePart, multipart } from '../../support/multipart.ts'
import { needsToken } from '../../support/security.ts'
import { webhook, webhookNotFound } from '../../support/webhooks.ts'
import {
  admin,
  bus,
  call,
  config,
  db,
  failure,
  house,
  noAuth,
  oneToOne,
  presences,
  store,
  user,
} from '../../support/world.ts'

// The rights that hold when the body has arrived decide about a request, not those at its headers.

const app = await listen()
const malformed = failure('invalid_schema', 'JSON body is malformed')
const ten = Array.from({ length: 10 }, (_, n) => n)

/** Sends all bodies to their end. Returns the bodies of the answers. */
async function finishAll(requests: HalfSent[]): Promise<unknown[]> {
  return (await Promise.all(requests.map((request) => request.finish()))).map(bodyOf)
}

function bodyOf(answer: string): unknown {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
}

/** A listening app with this timeout for bodies, in ms. */
async function impatientApp(timeoutMs: number) {
  const impatient = await buildApp({ config, db, store, bus, presences, bodyLimits: { timeoutMs } })
  await impatient.listen({ host: '127.0.0.1', port: 0 })
  atEnd(() => impatient.close())
  return impatient
}

test('sends that began before a ban are refused', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const sends: HalfSent[] = []
  const route = `POST /rooms/${den.room_id}/messages`
  for (const n of ten) sends.push(await sendHalfOfJson(app, ben, route, { content: `late ${n}` }))
  expect((await call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`, {})).status).toBe(200)
  const refusal = failure('room_not_found', 'That room does not exist')
  expect(await finishAll(sends)).toEqual(ten.map(() => refusal))
  expect(await listRows(den.room_id)).toEqual([])
})

test('a send that began before a block is refused, and one without a change between is not', async () => {
  const [ann, ben] = [await user(), await user()]
  const room = await oneToOne(ann, ben)
  const route = `POST /rooms/${room}/messages`
  const before = await sendHalfOfJson(app, ben, route, { content: 'before' })
  expect(bodyOf(await before.finish())).toMatchObject({ success: true, data: { content: 'before' } })
  const late = await sendHalfOfJson(app, ben, route, { content: 'late' })
  expect((await call(ann, 'PUT', `/relationships/@me/blocked/${ben.id}`)).status).toBe(200)
  expect(bodyOf(await late.finish())).toMatchObject({ error: { code: 'no_permission' } })
  expect(await listRows(room)).toHaveLength(1)
})

test.each([
  ['PATCH /users/@me', { name: 'Late' }],
  ['POST /houses', { name: 'Late' }],
  ['POST /users/@me/rooms', { user_ids: [] }],
  ['PATCH /users/@me/settings', { onboarded: true }],
])('%s that began before a logout is refused', async (route, fields) => {
  const ann = await user()
  const late = await sendHalfOfJson(app, ann, route, fields)
  expect((await call(ann, 'POST', '/auth/logout')).status).toBe(204)
  expect(bodyOf(await late.finish())).toEqual(noAuth)
  const { name } = await db
    .selectFrom('users')
    .select('name')
    .where('id', '=', ann.id)
    .executeTakeFirstOrThrow()
  expect(name).toBe(ann.username)
  expect(await db.selectFrom('houses').select('id').where('owner_id', '=', ann.id).execute()).toEqual([])
})

type Operation = { security: object[]; requestBody?: object }

/** All routes with a token that read a body of JSON, with something in place of each parameter. */
const routes = Object.entries(app.swagger().paths ?? {}).flatMap(([path, operations]) => {
  const at = path.replace(/\{[a-z_]+\}/g, '1')
  return Object.entries(operations as Record<string, Operation>)
    .filter(([verb, { security, requestBody }]) => {
      return (
        needsToken(security) &&
        (requestBody || ['post', 'put', 'patch'].includes(verb)) &&
        !path.endsWith('/media_messages')
      )
    })
    .map(([verb]) => ({ route: `${verb.toUpperCase()} ${at}`, isForAdmins: path.startsWith('/admin/') }))
})

test('every route with a body refuses whose login session has ended before it arrived', async () => {
  expect(routes.length).toBeGreaterThan(50)
  const root = await admin()
  const late: HalfSent[] = []
  for (const { route } of routes) late.push(await sendHalfOfJson(app, root, route, { unknown: 1 }))
  expect((await call(root, 'POST', '/auth/logout')).status).toBe(204)
  const answers = await finishAll(late)
  const notFound = { success: false, error: { code: 'not_found', message: expect.any(String) } }
  const expected = routes.map(({ isForAdmins }) => (isForAdmins ? notFound : noAuth))
  expect(answers).toEqual(expected)
})

test('a request that began before its account was disabled is refused', async () => {
  const ann = await user()
  const late = await sendHalfOfJson(app, ann, 'POST /houses', { name: 'Late' })
  expect((await call(await admin(), 'PATCH', `/admin/users/${ann.id}`, { disabled: true })).status).toBe(200)
  expect(bodyOf(await late.finish())).toEqual(noAuth)
})

test('a file that began to arrive before a logout is not sent', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const { payload, headers } = multipart(filePart('x'.repeat(50_000)))
  const text = String(payload)
  const late = sendHalf(app, `POST /rooms/${room_id}/media_messages`, {
    caller: ann,
    type: String(headers!['content-type']),
    body: text.slice(0, 30_000),
    rest: text.slice(30_000),
  })
  await expect.poll(() => filesOf(room_id)).toHaveLength(1)
  expect((await call(ann, 'POST', '/auth/logout')).status).toBe(204)
  expect(bodyOf(await late.finish())).toEqual(noAuth)
  expect(await listRows(room_id)).toEqual([])
})

function filesOf(roomId: string) {
  return db.selectFrom('discarded_files').select('name').where('name', 'like', `%${roomId}%`).execute()
}

test('what began to arrive before the deletion of a webhook is not sent', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const hook = await webhook(den)
  const counted = vi.spyOn(app.limits.webhooks, 'count')
  atEnd(() => counted.mockRestore())
  const { payload, headers } = multipart({ name: 'content', value: 'late' })
  const text = String(payload)
  const type = String(headers!['content-type'])
  const late = sendHalf(app, `POST ${hook.path}`, { type, body: text.slice(0, 20), rest: text.slice(20) })
  // The request is counted after the token was checked.
  await expect.poll(() => counted.mock.calls.map(([id]) => id)).toContain(hook.id)
  expect((await call(ann, 'DELETE', `/houses/${den.id}/webhooks/${hook.id}`)).status).toBe(200)
  expect(bodyOf(await late.finish())).toEqual(webhookNotFound)
  expect(await listRows(den.room_id)).toEqual([])
})

test('a body that does not arrive in time is refused, unless it may hold pictures', async () => {
  const impatient = await impatientApp(200)
  const ann = await user()
  const large = { name: 'Slow', unknown: 'x'.repeat(256 * 1024) }
  const picture = await sendHalfOfJson(impatient, ann, 'PATCH /users/@me', large)
  const profile = await sendHalfOfJson(impatient, ann, 'PATCH /users/@me', { name: 'Late' })
  const small = await sendHalfOfJson(impatient, ann, 'POST /users/@me/rooms', { user_ids: [] })
  const login = sendHalf(impatient, 'POST /auth/login', { body: '{', rest: '}' })
  for (const { answer, finish } of [small, profile, login]) {
    await expect.poll(answer).toContain('}}')
    expect(answer()).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer()).toMatch(/^connection: close$/im)
    expect(bodyOf(answer())).toEqual(malformed)
    await finish()
  }
  expect(await impatient.metrics.metrics()).toContain('hearth_late_bodies_total 3')
  expect(bodyOf(await picture.finish())).toMatchObject({ data: { name: 'Slow' } })
})

test('a multipart body of a webhook that does not arrive in time ends its connection', async () => {
  const impatient = await impatientApp(200)
  const hook = await webhook(await house({ owner: await user() }))
  const type = 'multipart/form-data; boundary=x'
  const late = sendHalf(impatient, `POST ${hook.path}`, { type, body: '--x\r\n', rest: '--x--' })
  expect(await late.ended).toBe('')
})
