import { expect, test } from 'vitest'
import { Api } from '../../src/client/api.ts'
import { paginate } from '../../src/client/paginate.ts'
import { listen, portOf } from '../support/gateway.ts'
import { friends, house, message, user } from '../support/world.ts'

const app = await listen()
const address = `http://127.0.0.1:${portOf(app)}`

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

async function contentsOf(items: AsyncIterable<{ content: string }>): Promise<string[]> {
  return (await collect(items)).map(({ content }) => content)
}

async function roomWith(contents: string[]) {
  const ann = await user()
  const den = await house({ owner: ann })
  const ids: string[] = []
  for (const content of contents) ids.push(await message(den.room_id, ann, { content }))
  return { api: new Api({ address, token: ann.token }), params: { id: den.room_id }, ids }
}

test('messages come newest first, over all pages', async () => {
  const { api, params } = await roomWith(['one', 'two', 'three', 'four', 'five'])
  const all = paginate(api, 'listMessages', { params, query: { limit: 2 } })
  expect(await contentsOf(all)).toEqual(['five', 'four', 'three', 'two', 'one'])
})

test('messages after an id come oldest first', async () => {
  const { api, params, ids } = await roomWith(['one', 'two', 'three', 'four', 'five'])
  const query = { limit: 2, after: ids[0]! }
  expect(await contentsOf(paginate(api, 'listMessages', { params, query }))).toEqual([
    'two',
    'three',
    'four',
    'five',
  ])
})

test('messages around an id go on with older ones', async () => {
  const { api, params, ids } = await roomWith(['one', 'two', 'three', 'four', 'five'])
  const query = { limit: 2, around: ids[2]! }
  const contents = await contentsOf(paginate(api, 'listMessages', { params, query }))
  expect(contents.slice(-3)).toEqual(['three', 'two', 'one'])
})

test('an operation without pages is named', async () => {
  const { api } = await roomWith([])
  const items = paginate(api, 'listPins' as 'listMessages', { params: { id: '1' } })
  await expect(collect(items)).rejects.toThrow('listPins has no pages')
})

test('a search goes on as the responses say', async () => {
  const { api, params } = await roomWith(['wool one', 'silk', 'wool two', 'wool three'])
  const found = paginate(api, 'searchRoom', { params, query: { q: 'wool', limit: 1 } })
  expect(await contentsOf(found)).toEqual(['wool three', 'wool two', 'wool one'])
})

test('members come by id', async () => {
  const [ann, ben, cleo] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cleo] })
  const api = new Api({ address, token: ann.token })
  const members = paginate(api, 'listMembers', { params: { id: den.id }, query: { limit: 1 } })
  const ids = (await collect(members)).map(({ user_id }) => user_id)
  expect(ids).toEqual([ann.id, ben.id, cleo.id])
})

test('bans and private rooms have cursors of their own', async () => {
  const [ann, ben, cleo] = [await user(), await user(), await user()]
  const den = await house({ owner: ann })
  const api = new Api({ address, token: ann.token })
  const params = { id: den.id }
  for (const { id } of [ben, cleo]) await api.call('banUser', { params: { ...params, user_id: id } })
  const bans = await collect(paginate(api, 'listBans', { params, query: { limit: 1 } }))
  expect(bans.map(({ user_id }) => user_id)).toEqual([cleo.id, ben.id])

  for (const friend of [ben, cleo]) await friends(ann, friend)
  const groups: string[] = []
  for (let count = 0; count < 3; count += 1) {
    const body = { recipients: [ben.id, cleo.id] }
    groups.unshift((await api.call('createPrivateRoom', { body })).id)
  }
  await api.call('sendMessage', { params: { id: groups[2]! }, body: { content: 'the latest' } })
  const rooms = await collect(paginate(api, 'listPrivateRooms', { query: { limit: 1 } }))
  expect(rooms.map(({ id }) => id)).toEqual([groups[2], groups[0], groups[1]])
})
