import { expect, test } from 'vitest'
import { hashToken, newToken } from '../../../src/auth/tokens.ts'
import { newId } from '../../../src/ids.ts'
import { password, personOf, resident } from '../../support/accounts.ts'
import { invalid, told } from '../../support/permissions.ts'
import { call, db, expectTime, user } from '../../support/world.ts'

const path = '/users/@me/sessions'

test("the caller's login sessions are listed, newest first", async () => {
  const ann = await resident('ann')
  const headers = { 'user-agent': 'Phone/2' }
  const login = { login: ann.username, password }
  const phone = await personOf(await call(null, 'POST', '/auth/login', login, { headers }))
  const answer = await call(ann, 'GET', path)
  expect(answer.status).toBe(200)
  const iso = expectTime
  const common = { created_at: iso, last_seen_at: iso, address: '127.0.0.1' }
  expect(answer.body.data).toEqual([
    { ...common, id: phone.session_id, client: 'Phone/2', current: false },
    { ...common, id: ann.session_id, client: 'lightMyRequest', current: true },
  ])
})

test('last_seen_at is not earlier than created_at', async () => {
  const ann = await user()
  await db
    .updateTable('sessions')
    .set({ last_seen_at: new Date(0) })
    .where('id', '=', ann.session_id)
    .execute()
  const [session] = (await call(ann, 'GET', path)).body.data
  expect(session.last_seen_at).toBe(session.created_at)
})

test('pages have 200 login sessions by default, 1,000 at most', async () => {
  const ann = await user()
  const rows = Array.from({ length: 1_001 }, () => {
    return { id: newId(), user_id: ann.id, token_hash: hashToken(newToken()) }
  })
  await db.insertInto('sessions').values(rows).execute()
  const order = [ann.session_id, ...rows.map((row) => row.id)].reverse()
  const list = async (query: string) => {
    const { data } = (await call(ann, 'GET', `${path}${query}`)).body
    return data.map((session: { id: string }) => session.id)
  }
  expect(await list('')).toEqual(order.slice(0, 200))
  expect(await list('?limit=1000')).toEqual(order.slice(0, 1_000))
  expect(await list(`?before=${order[999]}`)).toEqual(order.slice(1_000))
  expect(await list(`?before=${ann.session_id}`)).toEqual([])
  expect(await list(`?before=${order[9]}&limit=2`)).toEqual(order.slice(10, 12))
  for (const [query, field] of [
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['before=x', 'before'],
  ]) {
    expect(told(await call(ann, 'GET', `${path}?${query}`))).toEqual([400, invalid(field!)])
  }
})

test('a bot can list its session', async () => {
  const bot = await user({ bot_of: await user() })
  const answer = await call(bot, 'GET', path)
  expect(answer.body.data).toMatchObject([{ id: bot.session_id, current: true }])
})
