import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { statementsOf } from '../../support/statements.ts'
import { call, db, house, message, user } from '../../support/world.ts'

test('a statement with values of many rows is not kept', async () => {
  await db.connection().execute(async (on) => {
    const insertion = (count: number) => {
      const rows = Array.from({ length: count }, (_, n) => sql`(${n}::integer, ${count}::integer)`)
      return sql`select from (values ${sql.join(rows)}) as kept (number, count)`.execute(on)
    }
    for (const count of [10, 11]) await insertion(count)
    const { rows } =
      await sql`select from pg_prepared_statements where statement like '%kept (number%'`.execute(on)
    expect(rows).toHaveLength(1)
  })
})

test('of statements with ever new texts a connection keeps 500 at most', async () => {
  await db.connection().execute(async (on) => {
    for (let n = 0; n < 600; n += 1) {
      const { rows } = await sql<{ number: number }>`
        select ${0}::integer + ${sql.lit(n)} as number`.execute(on)
      expect(rows[0]!.number).toBe(n)
    }
    const { rows } = await sql`select from pg_prepared_statements`.execute(on)
    expect(rows.length).toBeLessThanOrEqual(500)
  })
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
