import { describe, expect, test } from 'vitest'
import { ask, relations, updated } from '../support/friendships.ts'
import { publishedAbout } from '../support/published.ts'
import { erase, gatewayUser } from '../support/rooms.ts'
import { block, call, expectTime, failure, friends, published, user } from '../support/world.ts'

describe.each([
  { word: 'blocked', type: 5, other: 4 },
  { word: 'restricted', type: 4, other: 5 },
] as const)('DELETE /relationships/@me/$word/:user_id', ({ word, type, other }) => {
  const path = (id: string) => `/relationships/@me/${word}/${id}`

  test('answers type 0 and sends an event to the caller only', async () => {
    const [ann, ben] = [await user(), await user()]
    await block(ann, ben, type)
    const answer = await call(ann, 'DELETE', path(ben.id))
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({
      id: ben.id,
      user_id: ben.id,
      recipient_id: ann.id,
      user: gatewayUser(ben),
      type: 0,
      last_updated_at: expectTime,
    })
    expect(await relations(ann, ben)).toEqual([0, 0])
    expect(publishedAbout(ann.id, ben.id)).toEqual([updated(ann, ben, 0)])
    expect((await ask(ben, ann)).status).toBe(200)
  })

  test('keeps a block by the other user', async () => {
    const [ann, ben] = [await user(), await user()]
    await block(ann, ben, type)
    await block(ben, ann, type)
    await call(ann, 'DELETE', path(ben.id))
    expect(await relations(ann, ben)).toEqual([0, type])
    expect(publishedAbout(ann.id, ben.id)).toEqual([updated(ann, ben, 0)])
  })

  test('answers any other relation unchanged and sends no event', async () => {
    const [ann, friend, kept, asked, stranger] = await Promise.all(Array.from({ length: 5 }, () => user()))
    await friends(ann!, friend!)
    await block(ann!, kept!, other)
    await ask(ann!, asked!)
    published.length = 0
    for (const [person, present] of [
      [friend!, 3],
      [kept!, other],
      [asked!, 1],
      [stranger!, 0],
    ] as const) {
      const answer = await call(ann!, 'DELETE', path(person.id))
      expect(answer.status).toBe(200)
      expect(answer.body.data).toMatchObject({
        user_id: person.id,
        type: present,
        last_updated_at: expectTime,
      })
    }
    expect(publishedAbout(ann!.id)).toEqual([])
  })

  test('a deleted account, an unknown id and no id answer user_not_found', async () => {
    const [ann, gone] = [await user(), await user()]
    await erase(gone)
    for (const id of [gone.id, '1', '0', 'x', '%00']) {
      const answer = await call(ann, 'DELETE', path(id))
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual(failure('user_not_found', 'That user does not exist'))
    }
  })
})
