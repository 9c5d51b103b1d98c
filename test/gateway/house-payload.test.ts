import { expect, onTestFinished, test } from 'vitest'
import { forgetPresence, setPresence } from '../../src/events/presence.ts'
import { HouseParts } from '../../src/gateway/house-payload.ts'
import { findMember } from '../../src/members/queries.ts'
import { db, house, user } from '../support/world.ts'

test('a member who is shown to many who log in at once has the presence of the moment in each', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const row = (await findMember(db, { house_id: den.id, user_id: ann.id }))!
  onTestFinished(() => void forgetPresence(ann.id))
  const shown = () => {
    const [text] = new HouseParts().membersWithin(10_000, [row])
    return JSON.parse(text!).presence
  }
  expect(shown()).toBe('offline')
  setPresence(ann.id, 'online')
  expect([shown(), shown()]).toEqual(['online', 'online'])
  forgetPresence(ann.id)
  expect(shown()).toBe('offline')
})
