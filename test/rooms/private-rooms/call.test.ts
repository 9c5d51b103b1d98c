import { describe, expect, test } from 'vitest'
import { call, failure, group, house, oneToOne, published, user } from '../../support/world.ts'

describe.each(['call', 'call/decline'])('POST /rooms/:id/%s', (word) => {
  test('answers not_offered in every readable room, with any body, and sends no event', async () => {
    published.length = 0
    const [ann, ben] = [await user(), await user()]
    const den = await house({ owner: ann })
    for (const room of [await group(ann, ben), await oneToOne(ann, ben), den.room_id]) {
      for (const body of [undefined, {}, null]) {
        const answer = await call(ann, 'POST', `/rooms/${room}/${word}`, body)
        expect(answer.status).toBe(400)
        expect(answer.body).toEqual(failure('not_offered', 'This server does not offer calls'))
      }
    }
    expect(published).toEqual([])
  })

  test('a room the caller cannot read answers room_not_found', async () => {
    const [ann, ben, cat] = [await user(), await user(), await user()]
    for (const room of [await group(ben, cat), '1', '0', 'x', '%00']) {
      const answer = await call(ann, 'POST', `/rooms/${room}/${word}`)
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual(failure('room_not_found', 'That room does not exist'))
    }
  })
})
