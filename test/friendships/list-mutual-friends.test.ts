import { expect, test } from 'vitest'
import { ask, compactUser } from '../support/friendships.ts'
import { erase } from '../support/rooms.ts'
import { call, failure, friends, uniqueName, user } from '../support/world.ts'

const path = (id: string) => `/relationships/${id}/mutual-friends`

test('shared friends are listed as compact users, by username', async () => {
  const [ann, ben, zoe, cat, dan] = await Promise.all(
    ['ann', 'ben', 'zoe', 'cat', 'dan'].map((begin) => user({ username: uniqueName(begin) })),
  )
  for (const person of [zoe!, cat!]) {
    await friends(ann!, person)
    await friends(person, ben!)
  }
  await friends(ann!, dan!)
  await ask(dan!, ben!)
  await friends(ann!, ben!)
  const answer = await call(ann!, 'GET', path(ben!.id))
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ success: true, data: [compactUser(cat!), compactUser(zoe!)] })
})

test('without shared friends the list is empty', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  expect((await call(ann, 'GET', path(ben.id))).body.data).toEqual([])
})

test('an unknown or deleted user answers user_not_found', async () => {
  const [ann, gone] = [await user(), await user()]
  await erase(gone)
  for (const id of [gone.id, '1', '0', '@me', 'x', '%00']) {
    const answer = await call(ann, 'GET', path(id))
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(failure('user_not_found', 'That user does not exist'))
  }
})
