import { expect, test } from 'vitest'
import { editOwnUser, rowOf, usernameTaken } from '../support/own-user.ts'
import { uniqueName, user } from '../support/world.ts'

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
  const [ann, bob] = [await user(), await user()]
  for (const username of [bob.username, bob.username.toUpperCase()])
    expect((await editOwnUser(ann, { username })).body).toEqual(usernameTaken)
  const fields = { username: bob.username.toUpperCase(), bio: 'b' }
  expect((await editOwnUser(bob, fields)).body.data).toMatchObject({ username: bob.username, bio: 'b' })
})

test("the caller's present username may be reserved", async () => {
  const username = uniqueName('deleted-user')
  const ann = await user({ username })
  expect((await editOwnUser(ann, { username, bio: 'b' })).body.data).toMatchObject({ username })
})

test('one of many concurrent requests for a username succeeds', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, () => user()))
  const username = uniqueName('wanted')
  const answers = await Promise.all(people.map((person) => editOwnUser(person, { username })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const refusals = answers.filter(({ status }) => status !== 200).map(({ body }) => body)
  expect(refusals).toEqual(Array(11).fill(usernameTaken))
})
