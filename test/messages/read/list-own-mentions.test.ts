import { expect, test } from 'vitest'
import { idTimeMs } from '../../../src/ids.ts'
import { compactUser } from '../../support/friendships.ts'
import { listIds, refusesWrongPages } from '../../support/messages.ts'
import {
  block,
  call,
  db,
  group,
  house,
  houseRoom,
  message,
  oneToOne,
  type Person,
  role,
  user,
} from '../../support/world.ts'

function idsFor(caller: Person, query = ''): Promise<string[]> {
  return listIds(caller, `/streams/@me/mentions${query}`)
}

test('mentions have the list form, newest first, from houses and private rooms', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const content = `<@${bob.id}> and <@${ann.id}>`
  const first = await message(den.room_id, ann, { content, mentions: [bob, ann] })
  await message(den.room_id, ann, { content: 'nobody' })
  const second = await message(await oneToOne(ann, bob), ann, { mentions: [bob] })
  const third = await message(await group(ann, bob), bob, { mentions: [bob] })
  const answer = await call(bob, 'GET', '/streams/@me/mentions')
  expect(answer.body.data.map((one: { id: string }) => one.id)).toEqual([third, second, first])
  expect(answer.body.data[2]).toEqual({
    id: first,
    room_id: den.room_id,
    author_id: ann.id,
    content,
    device_id: ann.session_id,
    bucket: Math.floor((idTimeMs(first) - 1562544000000) / 864_000_000),
    type: 0,
    timestamp: new Date(idTimeMs(first)).toISOString(),
    edited_at: '',
    author: compactUser(ann),
    mentions: [compactUser(bob), compactUser(ann)],
    attachment: null,
    embed: {},
    metadata: null,
    exploding: false,
    exploding_age: null,
  })
})

test('without mentions the list is empty', async () => {
  expect(await idsFor(await user())).toEqual([])
})

test('rooms of former houses and groups, and unreadable rooms, are omitted', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const other = await house({ owner: ann, members: [bob] })
  const left = await group(ann, bob)
  const kept = await message(den.room_id, ann, { mentions: [bob] })
  const hidden = await houseRoom(den)
  await message(other.room_id, ann, { mentions: [bob] })
  await message(left, ann, { mentions: [bob] })
  const lost = await message(hidden, ann, { mentions: [bob] })
  await db.deleteFrom('members').where('house_id', '=', other.id).where('user_id', '=', bob.id).execute()
  await db.deleteFrom('room_recipients').where('room_id', '=', left).where('user_id', '=', bob.id).execute()
  await db.updateTable('rooms').set({ default_deny: 2 }).where('id', '=', hidden).execute()
  expect(await idsFor(bob)).toEqual([kept])
  await role(den, { allow: 4, members: [bob] })
  expect(await idsFor(bob)).toEqual([lost, kept])
})

test('a page is full if the newest mentions are in unreadable rooms', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const kept: string[] = []
  for (let n = 0; n < 4; n += 1) kept.unshift(await message(den.room_id, ann, { mentions: [bob] }))
  for (let n = 0; n < 3; n += 1) {
    await message(await houseRoom(den, { default_deny: 2 }), ann, { mentions: [bob] })
  }
  expect(await idsFor(bob, '?limit=3')).toEqual(kept.slice(0, 3))
  expect(await idsFor(bob, `?limit=3&before=${kept[2]}`)).toEqual(kept.slice(3))
})

test("messages of blocked and restricted users are omitted, the caller's own are included", async () => {
  const [ann, bob, cat, dan] = [await user(), await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [bob, cat, dan] })
  await block(bob, cat, 5)
  await block(bob, dan, 4)
  await block(ann, bob, 5)
  for (const author of [cat, dan]) await message(den.room_id, author, { mentions: [bob] })
  const byAnn = await message(den.room_id, ann, { mentions: [bob] })
  const own = await message(den.room_id, bob, { mentions: [bob] })
  expect(await idsFor(bob)).toEqual([own, byAnn])
})

test('an exploded message is omitted, one that will explode is marked', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  await message(den.room_id, ann, { mentions: [bob], expires_at: new Date(Date.now() - 1) })
  const alive = await message(den.room_id, ann, {
    mentions: [bob],
    expires_at: new Date(Date.now() + 60_000),
  })
  await message(den.room_id, ann, { mentions: [bob], expires_at: new Date(Date.now() - 1) })
  for (const query of ['', '?limit=1']) {
    const answer = await call(bob, 'GET', `/streams/@me/mentions${query}`)
    expect(answer.body.data).toMatchObject([{ id: alive, exploding: true, exploding_age: 5 }])
  }
})

test('pages by limit, before, after and around', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const second = await houseRoom(den)
  const ids: string[] = []
  for (let n = 0; n < 9; n += 1) {
    ids.unshift(await message(n % 2 ? den.room_id : second, ann, { mentions: [bob] }))
  }
  expect(await idsFor(bob, '?limit=2')).toEqual(ids.slice(0, 2))
  expect(await idsFor(bob, `?limit=3&before=${ids[3]}`)).toEqual(ids.slice(4, 7))
  expect(await idsFor(bob, `?limit=3&after=${ids[6]}`)).toEqual(ids.slice(3, 6))
  expect(await idsFor(bob, `?limit=5&around=${ids[4]}`)).toEqual(ids.slice(2, 7))
  expect(await idsFor(bob, `?after=0&unknown=5`)).toEqual(ids)
})

test('a malformed page answers invalid_schema with the name of the parameter', async () => {
  await refusesWrongPages(await user(), '/streams/@me/mentions')
})
