import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { statementsOf } from '../support/statements.ts'
import { type Answer, call, db, house, user } from '../support/world.ts'

/** The tables that can be distributed: by room, and (mentions, read_states) by user. */
const store = new Set([
  'messages',
  'reactions',
  'reaction_counts',
  'pins',
  'room_heads',
  'mentions',
  'read_states',
])

/** Each is one statement on one PostgreSQL, as its parts would take longer apart. */
const together = [/insert into messages\b/, /insert into read_states\b/]

async function listTables(): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`.execute(
    db,
  )
  return new Set(rows.map((row) => row.name))
}

/** The tables that a statement reads or writes. */
function tablesIn(text: string, tables: ReadonlySet<string>): string[] {
  const named = text.matchAll(/\b(?:from|join|into|update|using)\s+"?([a-z_]+)"?/g)
  return [...new Set([...named].map(([, name]) => name!))].filter((name) => tables.has(name))
}

async function ok(answer: Promise<Answer>): Promise<Answer['body']['data']> {
  const { status, body } = await answer
  expect(status).toBeLessThan(300)
  return body?.data
}

/** What people do with messages. */
async function useMessages(): Promise<void> {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const url = `/rooms/${den.room_id}/messages`
  const emoji = encodeURIComponent('👍')
  const content = `hello <@${bob.id}>`
  const first = await ok(call(ann, 'POST', url, { content, nonce: 'n' }))
  await ok(call(ann, 'POST', url, { content, nonce: 'n' }))
  const reply = { content: 'yes', reply_to_id: first.id }
  const second = await ok(call(bob, 'POST', `${url}?extended=true`, reply))
  await ok(call(ann, 'PUT', `${url}/${first.id}/reactions/${emoji}`))
  await ok(call(bob, 'PUT', `${url}/${first.id}/reactions/${emoji}`))
  await ok(call(ann, 'PUT', `/rooms/${den.room_id}/pins/${first.id}`))
  for (const query of ['', `&before=${second.id}`, `&after=${first.id}`, `&around=${first.id}`]) {
    for (const path of [url, '/streams/@me/mentions', '/streams/@me/feed']) {
      await ok(call(bob, 'GET', `${path}?extended=true${query}`))
    }
  }
  for (const path of [
    `${url}/${first.id}`,
    `${url}/${first.id}/reactions/${emoji}`,
    `/rooms/${den.room_id}/pins`,
    `/rooms/${den.room_id}`,
    '/users/@me/rooms',
    '/users/@me/read-state',
    `${url}/search?q=hello`,
    `/houses/${den.id}/messages/search?q=hello`,
  ]) {
    await ok(call(bob, 'GET', path))
  }
  await ok(call(bob, 'POST', `${url}/${second.id}/ack`))
  await ok(call(ann, 'PATCH', `${url}/${first.id}`, { content: 'goodbye' }))
  await ok(call(ann, 'DELETE', `${url}/${first.id}/reactions/${emoji}`))
  await ok(call(ann, 'DELETE', `/rooms/${den.room_id}/pins/${first.id}`))
  await ok(call(ann, 'DELETE', `${url}/${first.id}`))
}

test('statements on messages name no table outside the store', async () => {
  const tables = await listTables()
  const statements = await statementsOf(useMessages)
  const seen = new Set<string>()
  const mixed = new Set<string>()
  for (const { text } of statements) {
    const named = tablesIn(text, tables)
    const inStore = named.filter((name) => store.has(name))
    for (const name of inStore) seen.add(name)
    const isMixed = inStore.length > 0 && inStore.length < named.length
    if (isMixed && !together.some((each) => each.test(text))) mixed.add(text)
  }
  expect([...mixed]).toEqual([])
  expect([...seen].sort()).toEqual([...store].sort())
})
