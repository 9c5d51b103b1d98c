import { expect, test } from 'vitest'
import { refusesWrongPages } from '../../support/messages.ts'
import { reactionScene as scene } from '../../support/reactions.ts'
import { call, type Person } from '../../support/world.ts'

test('who reacted is a list of compact users with pages', async () => {
  const { ann, bob, put, path } = await scene()
  await put(ann, '👍')
  await put(bob, '👍')
  const list = async (query: string) => {
    const { body } = await call(bob, 'GET', `${path('👍')}${query}`)
    return body.data.map((one: Person) => one.id)
  }
  const answer = await call(bob, 'GET', path('👍'))
  expect(Object.keys(answer.body.data[0]).sort()).toEqual('bot flags header icon id name username'.split(' '))
  expect(await list('')).toEqual([bob.id, ann.id])
  expect(await list('?limit=1')).toEqual([bob.id])
  expect(await list(`?before=${bob.id}`)).toEqual([ann.id])
  expect(await list(`?after=${ann.id}`)).toEqual([bob.id])
  expect((await call(bob, 'GET', path('🎉'))).body.data).toEqual([])
  await refusesWrongPages(bob, path('👍'))
})
