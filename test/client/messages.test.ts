import { expect, test } from 'vitest'
import { Api } from '../../src/client/api.ts'
import type { Events } from '../../src/client/events.ts'
import { Gateway } from '../../src/client/gateway.ts'
import { normalizeMessage } from '../../src/client/messages.ts'
import { listen, portOf } from '../support/gateway.ts'
import { house, user } from '../support/world.ts'

const app = await listen()
const address = `http://127.0.0.1:${portOf(app)}`

test('messages from all sources have one form', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const api = new Api({ address, token: ann.token })
  const gateway = new Gateway({ address, token: ann.token })
  const created = next(gateway, 'MESSAGE_CREATE')
  const updated = next(gateway, 'MESSAGE_UPDATE')
  gateway.connect()
  await new Promise<void>((resolve) =>
    gateway.onState(({ name }) => {
      if (name === 'ready') resolve()
    }),
  )

  const params = { id: den.room_id }
  const body = { content: `hi <@${ann.id}>`, exploding: true, exploding_age: 600 }
  const sent = normalizeMessage(await api.call('sendMessage', { params, body }))
  expect(normalizeMessage(await created)).toEqual(sent)
  const listed = async () => normalizeMessage((await api.call('listMessages', { params }))[0]!)
  expect(await listed()).toEqual({ ...sent, house_id: undefined })
  expect(sent).toMatchObject({ house_id: den.id, edited_at: null, explodes_at: sent.timestamp + 600_000 })
  expect(sent.mentions.map(({ id }) => id)).toEqual([ann.id])

  const where = { ...params, message_id: sent.id }
  const edited = normalizeMessage(await api.call('editMessage', { params: where, body: { content: 'new' } }))
  expect(edited).toEqual({ ...sent, content: 'new', mentions: [], edited_at: expect.any(Number) })
  expect(normalizeMessage(await updated)).toEqual(edited)
  expect(await listed()).toEqual({ ...edited, house_id: undefined })
  gateway.close()
})

test('an extended client reads replies, reactions and pins', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const api = new Api({ address, token: ann.token })
  const params = { id: den.room_id }
  const query = { extended: 'true' } as const
  const first = await api.call('sendMessage', { params, body: { content: 'one' } })
  const body = { content: 'two', reply_to_id: first.id }
  const reply = normalizeMessage(await api.call('sendMessage', { params, query, body }))
  expect(reply.reply_to).toMatchObject({ id: first.id, author: { id: ann.id }, content: 'one' })
  const at = { ...params, message_id: first.id }
  const reacted = await api.call('addReaction', { params: { ...at, emoji: '❤️' } })
  expect(reacted).toEqual({ message_id: first.id, emoji: '❤️', count: 1, me: true })
  const who = await api.call('listReactionUsers', { params: { ...at, emoji: '❤️' }, query: { limit: 1 } })
  expect(who.map(({ id }) => id)).toEqual([ann.id])
  await api.call('pinMessage', { params: at })
  const [pinned] = (await api.call('listPins', { params })).map(normalizeMessage)
  expect(pinned).toMatchObject({ pinned: true, reactions: [{ emoji: '❤️', count: 1, me: true }] })
  await api.call('removeReaction', { params: { ...at, emoji: '❤️' } })
  await api.call('unpinMessage', { params: at })
  const listed = (await api.call('listMessages', { params, query })).map(normalizeMessage)
  expect(listed.map(({ reactions, pinned: isPinned }) => [reactions, isPinned])).toEqual([
    [[], false],
    [[], false],
  ])
})

function next<Name extends keyof Events>(gateway: Gateway, name: Name): Promise<Events[Name]> {
  return new Promise((resolve) => gateway.on(name, resolve))
}
