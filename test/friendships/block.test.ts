import { describe, expect, test } from 'vitest'
import { blockAll, crowd } from '../support/crowds.ts'
import { ask, relations, updated } from '../support/friendships.ts'
import { publishedAbout } from '../support/published.ts'
import { erase, gatewayUser } from '../support/rooms.ts'
import { block, call, db, expectTime, failure, friends, published, user } from '../support/world.ts'

describe.each([
  { word: 'blocked', things: 'blocks', type: 5, other: 4, otherWord: 'restricted' },
  { word: 'restricted', things: 'restrictions', type: 4, other: 5, otherWord: 'blocked' },
] as const)('PUT /relationships/@me/$word/:user_id', ({ word, things, type, other, otherWord }) => {
  const path = (id: string) => `/relationships/@me/${word}/${id}`

  test('answers the relationship and sends an event to the caller only', async () => {
    const [ann, ben] = [await user(), await user()]
    const answer = await call(ann, 'PUT', path(ben.id))
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      success: true,
      data: {
        id: ben.id,
        user_id: ben.id,
        recipient_id: ann.id,
        user: gatewayUser(ben),
        type,
        last_updated_at: expectTime,
      },
    })
    const row = await db.selectFrom('blocks').selectAll().where('user_id', '=', ann.id).executeTakeFirst()
    const created_at = new Date(answer.body.data.last_updated_at)
    expect(row).toEqual({ user_id: ann.id, target_id: ben.id, type, created_at })
    expect(await relations(ann, ben)).toEqual([type, 0])
    expect(publishedAbout(ann.id, ben.id)).toEqual([updated(ann, ben, type)])
  })

  test('ends a friendship or request in either direction, and sends an event to the other', async () => {
    const [ann, friend, asker, asked] = [await user(), await user(), await user(), await user()]
    await friends(ann, friend)
    await ask(asker, ann)
    await ask(ann, asked)
    for (const person of [friend, asker, asked]) {
      published.length = 0
      await call(ann, 'PUT', path(person.id))
      expect(await relations(ann, person)).toEqual([type, 0])
      expect(publishedAbout(ann.id, person.id)).toEqual([updated(ann, person, type), updated(person, ann, 0)])
    }
  })

  test('keeps a block by the other user', async () => {
    const ann = await user()
    for (const theirs of [4, 5] as const) {
      const ben = await user()
      await block(ben, ann, theirs)
      await call(ann, 'PUT', path(ben.id))
      expect(await relations(ann, ben)).toEqual([type, theirs])
      expect(publishedAbout(ben.id)).toEqual([updated(ann, ben, type)])
    }
  })

  test('replaces the other kind; a repetition answers the same and sends no event', async () => {
    const [ann, ben] = [await user(), await user()]
    await block(ann, ben, other)
    const since = new Date(Date.now() - 60_000)
    await db.updateTable('blocks').set({ created_at: since }).where('user_id', '=', ann.id).execute()
    const first = await call(ann, 'PUT', path(ben.id))
    expect(new Date(first.body.data.last_updated_at).getTime()).toBeGreaterThan(since.getTime() + 30_000)
    const again = await call(ann, 'PUT', path(ben.id))
    expect(first.body.data.type).toBe(type)
    expect(again.body).toEqual(first.body)
    expect(publishedAbout(ann.id, ben.id)).toEqual([updated(ann, ben, type)])
  })

  test('past 1,000 answers limit_reached and changes nothing', async () => {
    const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
    const many = await crowd(999)
    await blockAll(ann, many, type)
    await friends(ann, dan)
    const full = failure('limit_reached', `You have reached a limit (${things})`)
    const put = (id: string) => call(ann, 'PUT', path(id))
    const answers = await Promise.all([ben, cat].map((person) => put(person.id)))
    const refused = answers
      .filter((answer) => answer.status !== 200)
      .map(({ status, body }) => [status, body])
    expect(refused).toEqual([[400, full]])
    expect((await put(dan.id)).body).toEqual(full)
    expect(await relations(ann, dan)).toEqual([3, 3])
    expect(publishedAbout(dan.id)).toEqual([])
    // Repeating a block, and replacing the other kind, do not increase the count.
    expect((await put(many[0]!)).status).toBe(200)
    await call(ann, 'DELETE', path(many[0]!))
    expect((await put(dan.id)).status).toBe(200)
    await block(ann, { ...dan, id: many[0]! }, other)
    expect((await put(many[0]!)).body).toEqual(full)
    const changed = await call(ann, 'PUT', `/relationships/@me/${otherWord}/${many[1]}`)
    expect(changed.body.data.type).toBe(other)
  })

  test('the own id answers invalid_schema, an unknown id user_not_found', async () => {
    const [ann, gone] = [await user(), await user()]
    await erase(gone)
    const oneself = await call(ann, 'PUT', path(ann.id))
    expect(oneself.status).toBe(400)
    expect(oneself.body).toEqual(failure('invalid_schema', 'Required fields (user_id) not met'))
    for (const id of [gone.id, '1', '0', 'x', '%00', '99999999999999999999']) {
      const answer = await call(ann, 'PUT', path(id))
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual(failure('user_not_found', 'That user does not exist'))
    }
  })

  test('concurrent requests by both users leave both blocks and no friendship', async () => {
    const [ann, ben] = [await user(), await user()]
    await friends(ann, ben)
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => [
        call(ann, 'PUT', path(ben.id)),
        call(ben, 'PUT', path(ann.id)),
      ]).flat(),
    )
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
    expect(await relations(ann, ben)).toEqual([type, type])
  })

  test('a concurrent block and request never leave both', async () => {
    for (let round = 0; round < 5; round++) {
      const [ann, ben] = [await user(), await user()]
      const [set, asked] = await Promise.all([call(ann, 'PUT', path(ben.id)), ask(ben, ann)])
      expect(set!.status).toBe(200)
      expect([200, 400]).toContain(asked!.status)
      expect(await relations(ann, ben)).toEqual([type, 0])
    }
  })
})
