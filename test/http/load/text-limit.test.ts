import { expect, test } from 'vitest'
import { inBlocks } from '../../../src/http/load/block-limit.ts'
import { createRateLimit } from '../../../src/http/load/rate-limit.ts'
import { filePart, multipart } from '../../support/multipart.ts'
import { otherApp } from '../../support/other-app.ts'
import { pictureText } from '../../support/own-user.ts'
import { webhook } from '../../support/webhooks.ts'
import { house, message, type Person, user } from '../../support/world.ts'

const dayMs = 86_400_000
const rowBytes = 256

/** An app with this limit in bytes a day, its clock, and a function that sends a content of a size in bytes. */
async function withText(burst: number) {
  const clock = { ms: 1_000_000 }
  const text = { burst, refillMs: dayMs / burst }
  const { call, app } = await otherApp({ rateLimit: true, text }, { now: () => clock.ms })
  const send = (person: Person, room: string, bytes: number) =>
    call(person, 'POST', `/rooms/${room}/messages`, { content: 'x'.repeat(bytes) })
  return { app, clock, call, send }
}

test('a person may write so much text a day, all their bots included', async () => {
  const { app, call, clock, send } = await withText(10_000)
  const ann = await user()
  const [bot, other] = [await user({ bot_of: ann }), await user({ bot_of: ann })]
  const stranger = await user()
  const { room_id } = await house({ owner: ann, members: [bot, other, stranger] })
  const bytes = 3_000
  expect((await send(ann, room_id, bytes)).status).toBe(200)
  expect((await send(bot, room_id, bytes)).status).toBe(200)
  expect((await send(other, room_id, bytes)).status).toBe(200)
  const refused = await send(bot, room_id, bytes)
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limit'])
  expect(refused.headers['ratelimit-limit']).toBe('10000')
  const missing = 4 * (bytes + rowBytes) - 10_000
  expect(Number(refused.headers['retry-after'])).toBe(Math.ceil((missing * dayMs) / 10_000 / 1_000))
  expect((await send(ann, room_id, bytes)).status).toBe(429)
  expect(app.refusedText).toBe(2)
  expect((await send(stranger, room_id, bytes)).status).toBe(200)
  expect((await call(ann, 'GET', `/rooms/${room_id}/messages`)).body.data).toHaveLength(4)
  clock.ms += dayMs
  expect((await send(bot, room_id, bytes)).status).toBe(200)
})

test('counts every body, what it mentions and the reason of a change, but neither pictures nor acks', async () => {
  const { app, call } = await withText(100_000)
  const { text } = app.limits
  const person = await user()
  const { id, room_id, entity_id } = await house({ owner: person })
  const message_id = await message(room_id, person)
  const used = async (sending: ReturnType<typeof call>) => {
    const before = await text.waitMs(person.id)
    const left = text.bucketOf(person.id)!.local.take(person.id, 0).remaining
    expect((await sending).status).toBeLessThan(300)
    expect(before).toBe(0)
    return left - text.bucketOf(person.id)!.local.take(person.id, 0).remaining
  }
  const path = `/rooms/${room_id}/messages`
  expect(await used(call(person, 'POST', path, { content: 'ä' }))).toBe(2 + rowBytes)
  const mention = `<@${person.id}>`
  expect(await used(call(person, 'POST', path, { content: mention }))).toBe(mention.length + 2 * rowBytes)
  expect(await used(call(person, 'POST', `${path}/${message_id}`, { content: 'edit' }))).toBe(4 + rowBytes)
  expect(await used(call(person, 'POST', `${path}/${message_id}`))).toBe(0)
  expect(await used(call(person, 'POST', `${path}/${message_id}/ack`))).toBe(0)
  expect(await used(call(person, 'POST', `/rooms/${room_id}/typing`))).toBe(0)
  expect(await used(call(person, 'DELETE', `${path}/${message_id}`))).toBe(0)
  const change = { name: 'Fire', resource_pointers: [{ resource_type: 'room', resource_id: room_id }] }
  const headers = { 'x-audit-reason': 'tidy' }
  const entity = `/houses/${id}/entities/${entity_id}`
  expect(await used(call(person, 'PATCH', entity, change, { headers }))).toBe(
    4 + 4 + room_id.length + 4 + 2 * rowBytes,
  )
  const icon = await pictureText()
  expect(await used(call(person, 'PATCH', '/users/@me', { icon, name: 'Ann' }))).toBe(3 + rowBytes)
  const parts = multipart(filePart('x'.repeat(5_000)), { name: 'content', value: 'see' })
  expect(await used(call(person, 'POST', `/rooms/${room_id}/media_messages`, undefined, parts))).toBe(
    3 + 2 * rowBytes,
  )
  const naming = multipart(filePart('x'), { name: 'content', value: mention })
  expect(await used(call(person, 'POST', `/rooms/${room_id}/media_messages`, undefined, naming))).toBe(
    mention.length + 3 * rowBytes,
  )
})

test('a request that fails does not count', async () => {
  const { send } = await withText(5_000)
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  expect((await send(ann, '1', 3_000)).status).toBe(404)
  expect((await send(ann, room_id, 4_001)).status).toBe(400)
  expect((await send(ann, room_id, 3_000)).status).toBe(200)
})

test('the webhooks of the houses of a person have a day of their own', async () => {
  const { call, send } = await withText(5_000)
  const ann = await user()
  const den = await house({ owner: ann })
  const { path } = await webhook(den)
  const execute = () => call(null, 'POST', path, { content: 'x'.repeat(3_000) })
  expect((await execute()).status).toBe(200)
  const refused = await execute()
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limit'])
  expect((await send(ann, den.room_id, 3_000)).status).toBe(200)
})

test('the mentions in the message of a webhook count', async () => {
  const { call } = await withText(5_000)
  const ann = await user()
  const { path } = await webhook(await house({ owner: ann }))
  const mentions = Array.from({ length: 30 }, (_none, n) => `<@${n + 1}>`).join(' ')
  expect((await call(null, 'POST', path, { content: mentions })).status).toBe(429)
  expect((await call(null, 'POST', path, { content: 'x'.repeat(200) })).status).toBe(200)
})

test('a limit in blocks asks once for a block, and allows no more than it', async () => {
  let [asked, refused, now] = [0, 0, 0]
  const onRefused = () => {
    refused += 1
  }
  const limit = createRateLimit('text', { burst: 1_000, refillMs: 1 }, { now: () => now, onRefused })
  const allows: typeof limit.allows = (...given) => {
    asked += 1
    return limit.allows(...given)
  }
  const blocks = inBlocks({ ...limit, allows }, 100)
  for (let n = 0; n < 100; n += 1) await blocks.count('ann', { count: 10 })
  expect(asked).toBe(10)
  await expect(blocks.count('ann', { count: 10 })).rejects.toMatchObject({ code: 'rate_limit' })
  await blocks.giveBack('ann', 10)
  await blocks.count('ann', { count: 10 })
  await blocks.count('bob', { count: 500 })
  now += 30
  await blocks.count('ann', { count: 30 })
  await expect(blocks.count('ann', { count: 1 })).rejects.toMatchObject({ code: 'rate_limit' })
  expect(refused).toBe(2)
})
