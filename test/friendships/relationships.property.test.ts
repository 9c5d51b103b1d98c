import fc from 'fast-check'
import { expect, test } from 'vitest'
import { relationTo } from '../support/friendships.ts'
import { publishedAbout } from '../support/published.ts'
import { call, type Person, published, user } from '../support/world.ts'

const actions = ['request', 'withdraw', 'unfriend', 'block', 'unblock', 'restrict', 'unrestrict'] as const
type Action = (typeof actions)[number]
type Step = { actor: number; target: number; action: Action }

/**
 * The table of docs/gateway.md#relationships, for one pair: the types of A's and B's relation after A's action, or null if
 * it is refused.
 */
function after(action: Action, mine: number, theirs: number): [number, number] | null {
  const theirsKept = theirs >= 4 ? theirs : 0
  switch (action) {
    case 'request':
      if (mine >= 4 || theirs >= 4) return null
      if (mine === 0) return [1, 2]
      return mine === 2 ? [3, 3] : [mine, theirs]
    case 'withdraw':
      return mine === 1 || mine === 2 ? [0, 0] : null
    case 'unfriend':
      return mine === 3 ? [0, 0] : null
    case 'block':
      return [5, theirsKept]
    case 'restrict':
      return [4, theirsKept]
    case 'unblock':
      return [mine === 5 ? 0 : mine, theirs]
    case 'unrestrict':
      return [mine === 4 ? 0 : mine, theirs]
  }
}

function send(action: Action, caller: Person, other: Person) {
  const base = '/relationships/@me'
  switch (action) {
    case 'request':
      return call(caller, 'POST', `${base}/friend-requests`, { user_id: other.id })
    case 'withdraw':
      return call(caller, 'DELETE', `${base}/friend-requests/${other.id}`)
    case 'unfriend':
      return call(caller, 'DELETE', `${base}/friends/${other.id}`)
    case 'block':
      return call(caller, 'PUT', `${base}/blocked/${other.id}`)
    case 'unblock':
      return call(caller, 'DELETE', `${base}/blocked/${other.id}`)
    case 'restrict':
      return call(caller, 'PUT', `${base}/restricted/${other.id}`)
    case 'unrestrict':
      return call(caller, 'DELETE', `${base}/restricted/${other.id}`)
  }
}

const step: fc.Arbitrary<Step> = fc
  .record({
    actor: fc.integer({ min: 0, max: 2 }),
    shift: fc.integer({ min: 1, max: 2 }),
    action: fc.constantFrom(...actions),
  })
  .map(({ actor, shift, action }) => ({ actor, target: (actor + shift) % 3, action }))

test('random actions of three users follow the table, and each change sends an event to its side', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const people = [await user(), await user(), await user()]
      const model = people.map(() => [0, 0, 0])
      for (const { actor, target, action } of steps) {
        const [caller, other] = [people[actor]!, people[target]!]
        const [mine, theirs] = [model[actor]![target]!, model[target]![actor]!]
        const expected = after(action, mine, theirs)
        const [now, thenTheirs] = expected ?? [mine, theirs]
        published.length = 0
        const answer = await send(action, caller, other)

        expect(answer.status < 300).toBe(expected !== null)
        if (expected && answer.status === 200) expect(answer.body.data.type).toBe(now)
        const told = publishedAbout(...people.map(({ id }) => id)).map((event) => {
          if (event.type !== 'relationship_updated') throw new Error(event.type)
          return [event.user_id, event.other_id, event.relationship_type]
        })
        expect(told).toEqual([
          ...(now === mine ? [] : [[caller.id, other.id, now]]),
          ...(thenTheirs === theirs ? [] : [[other.id, caller.id, thenTheirs]]),
        ])
        model[actor]![target] = now
        model[target]![actor] = thenTheirs
        expect(await relationTo(caller, other)).toBe(now)
        expect(await relationTo(other, caller)).toBe(thenTheirs)
      }
      for (const [index, person] of people.entries()) {
        for (const [position, other] of people.entries()) {
          if (index !== position) expect(await relationTo(person, other)).toBe(model[index]![position])
        }
      }
    }),
    { numRuns: 25 },
  )
})
