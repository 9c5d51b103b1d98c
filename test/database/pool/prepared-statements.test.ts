import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { ownWorld } from '../../support/own-world.ts'
import { statementsOf } from '../../support/statements.ts'
import { call, databaseUrl, house, message, user } from '../../support/world.ts'

await ownWorld()

/** A connection of a process that has prepared nothing yet. */
async function firstConnection() {
  const path = `../../../src/database/pool/pooled-client.ts?${randomUUID()}`
  const { PooledClient }: typeof import('../../../src/database/pool/pooled-client.ts') = await import(path)
  const client = new PooledClient({ connectionString: databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test('a statement with values of many rows is not kept', async () => {
  const client = await firstConnection()
  for (const count of [10, 11]) {
    const rows = Array.from({ length: count }, (_, n) => `($${2 * n + 1}::integer, $${2 * n + 2}::integer)`)
    const values = Array.from({ length: 2 * count }, (_, n) => n)
    await client.query(`select from (values ${rows}) as kept (number, count)`, values)
  }
  const { rows } = await client.query(
    "select from pg_prepared_statements where statement like '%kept (number%'",
  )
  expect(rows).toHaveLength(1)
})

test('of statements with ever new texts a connection keeps 500 at most', async () => {
  const client = await firstConnection()
  for (let n = 0; n < 600; n += 1) {
    const { rows } = await client.query(`select $1::integer + ${n} as number`, [0])
    expect(rows[0].number).toBe(n)
  }
  const { rows } = await client.query('select from pg_prepared_statements')
  expect(rows).toHaveLength(500)
})

test('pages of every length, and from every place, share their statements', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const ids: string[] = []
  for (let n = 0; n < 10; n += 1) {
    ids.push(await message(den.room_id, ann, { content: 'word', mentions: [ann] }))
  }
  const pages = (id: string) => ['', `&before=${id}`, `&after=${id}`, `&around=${id}`]
  const searches = (id: string) => [
    '',
    `&before=${id}`,
    `&author_id=${ann.id}`,
    `&author_id=${id}&before=${id}`,
  ]
  const whole = () => ['']
  const lists = [
    { path: `/rooms/${den.room_id}/messages?limit=`, places: pages },
    { path: '/streams/@me/mentions?limit=', places: pages },
    { path: '/streams/@me/feed?limit=', places: pages },
    { path: `/houses/${den.id}/bans?limit=`, places: pages },
    { path: `/rooms/${den.room_id}/messages/search?q=word&limit=`, places: searches },
    { path: `/houses/${den.id}/messages/search?q=word&limit=`, places: searches },
    { path: `/houses/${den.id}/members?limit=`, places: whole },
    { path: '/users/@me/rooms?limit=', places: whole },
    { path: '/users/@me/sessions?limit=', places: whole },
  ]
  for (const { path, places } of lists) {
    const ask = (limits: number[], id: string) =>
      statementsOf(async () => {
        for (const place of places(id)) {
          for (const limit of limits) {
            expect((await call(ann, 'GET', `${path}${limit}${place}`)).status).toBe(200)
          }
        }
      })
    const known = new Set((await ask([1, 50], ids[5]!)).map(({ text }) => text))
    const others = (await ask([2, 3, 7, 99, 100], ids[7]!)).map(({ text }) => text)
    expect(others.filter((text) => !known.has(text))).toEqual([])
  }
})
