import { expect, test } from 'vitest'
import { call, house, type Person, user } from '../../support/world.ts'

/** Keeps reads, pages and sends of another user running, so that statements are shared. */
async function underLoad(act: () => Promise<void>): Promise<void> {
  const other = await user()
  const den = await house({ owner: other })
  let done = false
  const busy = Array.from({ length: 16 }, async (_, n) => {
    while (!done) {
      if (n % 2 === 0) await call(other, 'POST', `/rooms/${den.room_id}/messages`, { content: `${n}` })
      else await call(other, 'GET', `/rooms/${den.room_id}/messages`)
    }
  })
  try {
    await act()
  } finally {
    done = true
    await Promise.all(busy)
  }
}

/** The responses that must change with the next request. */
async function answersOf(person: Person, roomId: string): Promise<string[]> {
  const answers = await Promise.all([
    call(person, 'GET', `/rooms/${roomId}/messages`),
    call(person, 'POST', `/rooms/${roomId}/messages`, { content: 'still here?' }),
    call(person, 'POST', `/rooms/${roomId}/typing`),
    call(person, 'GET', `/rooms/${roomId}`),
  ])
  return [...new Set(answers.map(({ status, body }) => body.error?.code ?? String(status)))]
}

test('a logout, a removal and a ban apply to the next request, under load', async () => {
  const owner = await user()
  await underLoad(async () => {
    for (let round = 0; round < 5; round += 1) {
      const [ann, bob, cid] = [await user(), await user(), await user()]
      const den = await house({ owner, members: [ann, bob, cid] })
      for (const person of [ann, bob, cid]) expect(await answersOf(person, den.room_id)).toEqual(['200'])

      await call(ann, 'POST', '/auth/logout')
      expect(await answersOf(ann, den.room_id)).toEqual(['no_auth'])
      await call(owner, 'DELETE', `/houses/${den.id}/members/${bob.id}`)
      expect(await answersOf(bob, den.room_id)).toEqual(['room_not_found'])
      await call(owner, 'PUT', `/houses/${den.id}/bans/${cid.id}`)
      expect(await answersOf(cid, den.room_id)).toEqual(['room_not_found'])
    }
  })
})
