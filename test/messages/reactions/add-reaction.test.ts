import { expect, test } from 'vitest'
import { listen, logIn, resume } from '../../support/gateway.ts'
import { messageNotFound } from '../../support/messages.ts'
import { roomNotFound } from '../../support/permissions.ts'
import { reactionScene as scene } from '../../support/reactions.ts'
import { call, db, failure, houseRoom, message, oneToOne, user } from '../../support/world.ts'

const app = await listen()

/** Twenty emoji, each of a different make: flags, keycaps, sequences with skin tones and joiners. */
const twenty = [...'👍👎😀😂🎉🚀👀🔥💯🙏🐸🍕', '❤️', '1️⃣', '🇩🇪', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '👩🏻‍❤️‍💋‍👩🏿', '🏳️‍🌈', '👨‍👩‍👧‍👦', '☀️']

test('reactions are counted, by first use, and show the caller their own', async () => {
  const { ann, bob, id, put, remove, seenBy } = await scene()
  expect((await put(ann, '👍')).body.data).toEqual({ message_id: id, emoji: '👍', count: 1, me: true })
  await put(ann, '🎉')
  expect((await put(bob, '👍')).body.data.count).toBe(2)
  expect(await seenBy(bob)).toEqual([
    { emoji: '👍', count: 2, me: true },
    { emoji: '🎉', count: 1, me: false },
  ])
  expect((await remove(ann, '👍')).body.data).toEqual({ message_id: id, emoji: '👍', count: 1, me: false })
  await remove(bob, '👍')
  await put(bob, '👍')
  expect(await seenBy(ann)).toEqual([
    { emoji: '🎉', count: 1, me: true },
    { emoji: '👍', count: 1, me: false },
  ])
})

test('what already is so stays so', async () => {
  const { ann, bob, put, remove, seenBy } = await scene()
  await put(ann, '👍')
  expect((await put(ann, '👍')).body.data).toMatchObject({ count: 1, me: true })
  expect((await remove(bob, '👍')).body.data).toMatchObject({ count: 1, me: false })
  expect((await remove(bob, '🎉')).body.data).toMatchObject({ count: 0, me: false })
  expect(await seenBy(ann)).toEqual([{ emoji: '👍', count: 1, me: true }])
})

test('every emoji of Unicode is one, whatever it is made of', async () => {
  const { ann, put, seenBy } = await scene()
  for (const emoji of twenty) expect((await put(ann, emoji)).body.data?.emoji, emoji).toBe(emoji)
  expect((await seenBy(ann)).map((one: { emoji: string }) => one.emoji)).toEqual(twenty)
})

test('an emoji without its selectors is the one with them', async () => {
  const { ann, put, remove, seenBy } = await scene()
  for (const [sent, emoji] of [
    ['❤', '❤️'],
    ['👁‍🗨', '👁️‍🗨️'],
    ['👁️‍🗨', '👁️‍🗨️'],
    ['🏳‍🌈', '🏳️‍🌈'],
    ['👩‍❤‍👨', '👩‍❤️‍👨'],
    ['1\u20e3', '1️⃣'],
    ['©', '©️'],
    ['🕵🏽‍♂', '🕵🏽‍♂️'],
    ['👍\ufe0f', '👍'],
  ] as const) {
    expect((await put(ann, sent)).body.data).toMatchObject({ emoji, count: 1 })
    expect((await put(ann, emoji)).body.data).toMatchObject({ emoji, count: 1 })
    expect(await seenBy(ann)).toMatchObject([{ emoji }])
    expect((await remove(ann, sent)).body.data).toMatchObject({ emoji, count: 0 })
  }
})

test('what is not one emoji answers invalid_schema', async () => {
  const { ann, put, remove, path, seenBy } = await scene()
  const hostile = [
    'x',
    '👍👍',
    '👍 ',
    ' ',
    '',
    '1',
    '❤\ufe0e',
    '\u200d',
    '️',
    '🏿🏿',
    '🇩',
    '<b>',
    "';--",
    '\u202e👍',
  ]
  for (const emoji of [...hostile, '👍'.repeat(500), '👩‍'.repeat(200), 'a\u0000b', '%', '👍\n', '👍\u0000']) {
    for (const answer of [
      await put(ann, emoji),
      await remove(ann, emoji),
      await call(ann, 'GET', path(emoji)),
    ]) {
      const isUnrouted = emoji === ''
      expect(answer.status, JSON.stringify(emoji)).toBe(isUnrouted ? 404 : 400)
      if (!isUnrouted) expect(answer.body).toEqual(failure('invalid_schema', 'Invalid fields (emoji)'))
    }
  }
  for (const broken of ['%ff', '%e2%82', '%']) {
    expect((await call(ann, 'PUT', path('👍').replace(/[^/]*$/, broken))).status).toBe(404)
  }
  expect(await seenBy(ann)).toEqual([])
})

test('a message has twenty different emoji at most', async () => {
  const { ann, bob, put, remove } = await scene()
  for (const emoji of twenty) await put(ann, emoji)
  const refused = await put(bob, '🥨')
  expect([refused.status, refused.body]).toEqual([
    400,
    failure('limit_reached', 'You have reached a limit (reactions)'),
  ])
  expect((await put(bob, '👍')).status).toBe(200)
  await remove(ann, '❤️')
  expect((await put(bob, '🥨')).status).toBe(200)
})

test('the limit and the counts hold when many react at once', async () => {
  const { ann, den, id, put, remove, seenBy } = await scene()
  const people = await Promise.all(Array.from({ length: 8 }, () => user()))
  await db
    .insertInto('members')
    .values(people.map(({ id: user_id }) => ({ house_id: den.id, user_id, joined_at: new Date() })))
    .execute()
  const emojis = [...twenty, ...'🥨🧀🍺🎈🪁']
  const answers = await Promise.all(emojis.flatMap((emoji) => people.map((person) => put(person, emoji))))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]))
  const all = await seenBy(ann)
  expect(all).toHaveLength(20)
  for (const { count } of all) expect(count).toBe(8)
  // The same reaction is added and removed by all at once, several times: the count is that of the rows.
  const { emoji } = all[0]
  await Promise.all(
    people.flatMap((one) => [remove(one, emoji), put(one, emoji), remove(one, emoji), put(one, emoji)]),
  )
  const rows = await db
    .selectFrom('reactions')
    .selectAll()
    .where('message_id', '=', id)
    .where('emoji', '=', emoji)
    .execute()
  const shown = (await seenBy(ann)).find((one: { emoji: string }) => one.emoji === emoji)
  expect(shown?.count ?? 0).toBe(rows.length)
})

test('hundreds of reactions of one account that are taken back leave no row', async () => {
  const { ann, id, put, remove, seenBy } = await scene()
  for (let n = 0; n < 200; n += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, k) => put(ann, twenty[(n + k) % 20]!)))
    await Promise.all(Array.from({ length: 10 }, (_, k) => remove(ann, twenty[(n + k) % 20]!)))
  }
  expect(await seenBy(ann)).toEqual([])
  for (const table of ['reactions', 'reaction_counts'] as const) {
    expect(await db.selectFrom(table).selectAll().where('message_id', '=', id).execute()).toEqual([])
  }
})

test('a message that is gone, exploded, or of another room answers message_not_found', async () => {
  const { ann, den } = await scene()
  const elsewhere = await message(await houseRoom(den), ann)
  const exploded = await message(den.room_id, ann, { expires_at: new Date(Date.now() - 1) })
  for (const id of ['1', 'x', elsewhere, exploded]) {
    for (const method of ['PUT', 'DELETE', 'GET'] as const) {
      const url = `/rooms/${den.room_id}/messages/${id}/reactions/${encodeURIComponent('👍')}`
      const answer = await call(ann, method, url)
      expect([answer.status, answer.body], `${method} ${id}`).toEqual([404, messageNotFound])
    }
  }
})

test('a room that one cannot read answers room_not_found', async () => {
  const { path } = await scene()
  const stranger = await user()
  for (const method of ['PUT', 'DELETE', 'GET'] as const) {
    const answer = await call(stranger, method, path('👍'))
    expect([answer.status, answer.body]).toEqual([404, roomNotFound])
  }
})

test('extended sessions that resume are told of reactions and pins, others are not', async () => {
  const { ann, bob, den, id, put, remove } = await scene()
  const [extended, plain] = [await logIn(app, bob, { extended: true }), await logIn(app, bob)]
  await put(ann, '👍')
  const { d: reaction, seq } = await extended.next('REACTION_UPDATE')
  const base = { room_id: den.room_id, house_id: den.id, message_id: id }
  expect(reaction).toEqual({ ...base, emoji: '👍', user_id: ann.id, added: true, count: 1 })
  const sessions = [extended, plain].map((client) => client.events[0]!.d.session_id as string)
  await extended.cut()
  await plain.cut()
  await remove(ann, '👍')
  await call(ann, 'PUT', `/rooms/${den.room_id}/pins/${id}`)
  const again = resume(app, bob, sessions[0]!, seq!, { extended: true })
  expect((await again.next('REACTION_UPDATE')).d).toMatchObject({ added: false, count: 0 })
  expect((await again.next('PIN_UPDATE')).d).toEqual({ ...base, pinned: true })
  const old = resume(app, bob, sessions[1]!, plain.events.at(-1)!.seq!)
  await old.next('RESUMED')
  expect(old.passed).toEqual([])
})

test('somebody who blocked another shares no reactions in their one-to-one room', async () => {
  const [ann, bob] = [await user(), await user()]
  const room = await oneToOne(ann, bob)
  const path = `/rooms/${room}/messages/${await message(room, ann)}/reactions/${encodeURIComponent('👍')}`
  expect((await call(bob, 'PUT', path)).status).toBe(200)
  await call(ann, 'PUT', `/relationships/@me/blocked/${bob.id}`)
  for (const person of [ann, bob]) {
    for (const method of ['PUT', 'DELETE'] as const) {
      expect((await call(person, method, path)).body.error.code).toBe('no_permission')
    }
  }
})
