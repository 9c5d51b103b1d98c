import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { gathered, scattered } from '../../src/db/records.ts'
import { call, db, house, message, user } from '../support/world.ts'

async function gatherAndScatter(rows: [number, string][]): Promise<string[][]> {
  const columns = [rows.map(([n]) => n), rows.map(([, text]) => text)] as const
  const { rows: found } = await sql<{ text: string | null }>`
    select ${gathered(sql`n, text`)} as text
    from unnest(${columns[0]}::bigint[], ${columns[1]}::text[]) as t (n, text)`.execute(db)
  return scattered(found[0]!.text)
}

test('rows travel as one text and come back with their columns, breaks and empty texts included', async () => {
  const texts = ['', ' plain ', 'tab\tand\nbreaks\r\n', '{"json": [1, null]}', "quote's \\ end", '🔥,é']
  const rows = texts.map((text, n): [number, string] => [n, text])
  expect(await gatherAndScatter(rows)).toEqual(rows.map(([n, text]) => [String(n), text]))
})

test('no rows are no text', async () => {
  expect(await gatherAndScatter([])).toEqual([])
})

test('what ends a row or a column is refused in contents and names', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const id = await message(room_id, ann)
  for (const end of ['\x1e', '\x1f']) {
    const refused = [
      await call(ann, 'POST', `/rooms/${room_id}/messages`, { content: `a${end}b` }),
      await call(ann, 'PATCH', `/rooms/${room_id}/messages/${id}`, { content: `a${end}b` }),
      await call(ann, 'PATCH', '/users/@me', { name: `a${end}b` }),
    ]
    expect(refused.map((answer) => answer.body.error.code)).toEqual(Array(3).fill('invalid_schema'))
  }
})
