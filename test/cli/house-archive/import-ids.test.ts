import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openDatabaseWithoutTimeouts } from '../../../src/database/client.ts'
import { otherServer } from '../../support/backup.ts'
import { hearth, hearthIn } from '../../support/cli.ts'
import { changed, exportedHouse, writeArchive } from '../../support/house-archive.ts'
import { call, db } from '../../support/world.ts'

const { full, path, files, room, reactions } = await exportedHouse()

test('beside the house itself an import has ids, names and files of its own', async () => {
  const { code, out } = await hearth('import-house', path)
  expect(code).toBe(0)
  const [, id] = /has the id ([0-9]+) here/.exec(out)!
  expect(id).not.toBe(full.den.id)
  const messages = await db
    .selectFrom('messages')
    .select(['id', 'room_id'])
    .where('house_id', '=', id!)
    .execute()
  const before = await db
    .selectFrom('messages')
    .select(['id', 'room_id'])
    .where('house_id', '=', full.den.id)
    .execute()
  expect(messages).toHaveLength(8)
  const ids = new Set(before.map((each) => each.id))
  expect(messages.filter((each) => ids.has(each.id))).toEqual([])
  const millisecond = (each: { id: string }) => String(BigInt(each.id) >> 22n)
  const times = new Set(before.map(millisecond))
  expect(messages.filter((each) => !times.has(millisecond(each)))).toEqual([])
  const twin = await db
    .selectFrom('users')
    .selectAll()
    .where('username', '=', `${full.bob.username}-2`)
    .execute()
  expect(twin).toMatchObject([{ email: null, password_hash: null }])
  // Once more: the ids of the second copy are taken, too.
  expect(await hearth('import-house', path)).toMatchObject({ code: 0 })
  expect((await call(full.ann, 'GET', `/houses/${full.den.id}`)).status).toBe(200)
  expect((await call(full.ann, 'GET', `/houses/${id}`)).body.error.code).toBe('house_not_found')
})

test('a house whose audit log is still to be deleted gets another id', async () => {
  const place = await otherServer()
  await hearthIn(place, 'import-house', path)
  const there = openDatabaseWithoutTimeouts(place.DATABASE_URL)
  try {
    const entry = {
      house_id: full.den.id,
      id: '1',
      actor_id: full.ann.id,
      action: 'room_created',
      changes: '[]',
    }
    await there.insertInto('audit_log').values(entry).execute()
    expect(await hearthIn(place, 'delete-house', full.den.id, '--yes')).toMatchObject({ code: 0 })
    const { out } = await hearthIn(place, 'import-house', path)
    expect(out).toMatch(/^Den has the id [0-9]+ here/)
    expect(out).not.toContain(full.den.id)
  } finally {
    await there.destroy()
  }
})

describe('messages of one millisecond', () => {
  const at = String((BigInt(full.hi) >> 22n) << 22n)
  const template = changed(reactions, () => [])
  const manyAt = (count: number) =>
    changed(room, ([row]) =>
      Array.from({ length: count }, (_, n) => {
        return {
          ...row,
          id: String(BigInt(at) + BigInt(n)),
          pinned_at: null,
          attachment: null,
          reply_to: null,
        }
      }),
    )

  test('of which more ids are taken than one node has, are imported', async () => {
    const place = await otherServer()
    const archive = await writeArchive(
      manyAt(4_200)({ ...files, ...template(files) } as Record<string, string>),
    )
    for (const _ of [1, 2]) {
      expect(await hearthIn(place, 'import-house', archive)).toMatchObject({ code: 0, err: '' })
    }
  })

  test('of which there are no free ids, are refused', async () => {
    const place = await otherServer()
    const archive = await writeArchive(manyAt(1)({ ...files, ...template(files) } as Record<string, string>))
    const there = openDatabaseWithoutTimeouts(place.DATABASE_URL)
    try {
      await sql`
        insert into messages (room_id, id, author_id, device_id, content)
        select 1, ${at}::bigint + node * 4096, 1, 1, '' from generate_series(0, 1023) as node`.execute(there)
      expect((await hearthIn(place, 'import-house', archive)).err).toBe(
        'The archive has messages of a millisecond that has too few free ids here.',
      )
    } finally {
      await there.destroy()
    }
  })
})

test('a room whose former messages are still to be deleted gets another id, and keeps what is imported', async () => {
  const place = await otherServer()
  const there = openDatabaseWithoutTimeouts(place.DATABASE_URL)
  const { room_id } = full.den
  try {
    await there.insertInto('removed_rooms').values({ room_id }).execute()
    expect(await hearthIn(place, 'import-house', path)).toMatchObject({ code: 0, err: '' })
    const inRoom = there.selectFrom('messages').select('id').where('room_id', '=', room_id)
    expect(await inRoom.execute()).toEqual([])
    expect(await there.selectFrom('messages').select('id').execute()).toHaveLength(8)
  } finally {
    await there.destroy()
  }
})
