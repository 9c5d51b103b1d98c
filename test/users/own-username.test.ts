import { expect, test } from 'vitest'
import { editOwnUser, rowOf, usernameTaken } from '../support/own-user.ts'
import { user } from '../support/world.ts'

test('a reserved username answers username_taken, and nothing changes', async () => {
  const ann = await user()
  const words =
    'me admin administrator system everyone here houses users rooms streams relationships invites bots auth socket support hearth null undefined'
  const reserved = words.split(' ').filter((word) => word.length >= 3)
  for (const username of [...reserved, 'ADMIN', 'deleted-1x', 'Deleted-user']) {
    const answer = await editOwnUser(ann, { username, bio: 'x' })
    expect([username, answer.status, answer.body]).toEqual([username, 400, usernameTaken])
  }
  expect(await rowOf(ann)).toMatchObject({ bio: '' })
})

test("a username in use is taken in any case, except the caller's present one", async () => {
  const [ann, bob] = [await user({ username: 'ann1' }), await user({ username: 'bob1' })]
  for (const username of ['bob1', 'BOB1'])
    expect((await editOwnUser(ann, { username })).body).toEqual(usernameTaken)
  expect((await editOwnUser(bob, { username: 'Bob1', bio: 'b' })).body.data).toMatchObject({
    username: 'bob1',
    bio: 'b',
  })
})

test("the caller's present username may be reserved", async () => {
  const ann = await user({ username: 'support' })
  expect((await editOwnUser(ann, { username: 'support', bio: 'b' })).body.data).toMatchObject({
    username: 'support',
  })
})

test('one of many concurrent requests for a username succeeds', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, () => user()))
  const answers = await Promise.all(people.map((person) => editOwnUser(person, { username: 'wanted' })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const refusals = answers.filter(({ status }) => status !== 200).map(({ body }) => body)
  expect(refusals).toEqual(Array(11).fill(usernameTaken))
})
