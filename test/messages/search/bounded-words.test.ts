import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../../src/ids.ts'
import { listIds } from '../../support/messages.ts'
import { q } from '../../support/search.ts'
import { db, house, message, type Person, user } from '../../support/world.ts'

/** The messages that a search reads without the index. */
const newest = 250
const word = (begin: string, n: number) => `${begin}${String(n).padStart(3, '0')}`
const words = (begin: string, count: number) =>
  Array.from({ length: count }, (_, n) => word(begin, n)).join(' ')

let ann: Person
let path: string
let many: string
let enough: string

beforeAll(async () => {
  ann = await user()
  const { id, room_id } = await house({ owner: ann })
  path = `/rooms/${room_id}/messages/search?`
  many = await message(room_id, ann, { content: words('m', 800) })
  enough = await message(room_id, ann, { content: words('e', 400) })
  const ids = Array.from({ length: newest }, () => newId())
  await sql`insert into messages (room_id, house_id, id, author_id, device_id, content)
    select ${room_id}::bigint, ${id}::bigint, later, ${ann.id}::bigint, 1, 'later' from unnest(${ids}::bigint[]) as later`.execute(
    db,
  )
})

test('a message is found by 400 different words, the first by their letters', async () => {
  const found = (text: string) => listIds(ann, path + q(text))
  expect(await found(word('e', 0))).toEqual([enough])
  expect(await found(word('e', 399))).toEqual([enough])
  expect(await found(word('m', 0))).toEqual([many])
  expect(await found(`${word('m', 399)} ${word('m', 7)}`)).toEqual([many])
  expect(await found(word('m', 400))).toEqual([])
})
