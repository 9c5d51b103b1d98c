import { expect, test } from 'vitest'
import { deleteExploded } from '../../src/messages/removal/explosion-operations.ts'
import { deleteOutdated } from '../../src/messages/removal/retention-operations.ts'
import { type Client, listen, logIn } from '../support/gateway.ts'
import { nextExact } from '../support/gateway-scene.ts'
import { ownWorld } from '../support/own-world.ts'
import { bus, call, db, house, houseRoom, oneToOne, type Person, user } from '../support/world.ts'

await ownWorld()
const app = await listen()

type House = Awaited<ReturnType<typeof house>>

async function say(author: Person, room_id: string, content: string, more: object = {}): Promise<string> {
  const sent = await call(author, 'POST', `/rooms/${room_id}/messages`, { content, ...more })
  expect(sent.status).toBe(200)
  return sent.body.data.id
}

function remove(author: Person, room_id: string, id: string) {
  return call(author, 'DELETE', `/rooms/${room_id}/messages/${id}`)
}

/** What a client that logs in now, as older ones do, shows of a room: whether it is unread, and the mentions. */
async function shownAfterLogin(person: Person, { id, room_id }: Pick<House, 'id' | 'room_id'> | Room) {
  const client = await logIn(app, person)
  const rooms = id === null ? client.events[0]!.d.private_rooms : (await houseOf(client, id)).rooms
  const room = rooms.find((each: { id: string }) => each.id === room_id)
  const state = client.events[0]!.d.read_state[room_id]
  const listed = (await call(person, 'GET', '/users/@me/read-state')).body.data[room_id]
  expect(listed).toEqual(state)
  await client.cut()
  if (state) expect(Object.keys(state)).toEqual(['message_id', 'mention_count'])
  const isUnread = BigInt(room.last_message_id ?? 0) > BigInt(state?.message_id ?? 0)
  return [isUnread, state?.mention_count ?? 0]
}

type Room = { id: null; room_id: string }

async function houseOf(client: Client, id: string) {
  const known = client.events.find(({ e, d }) => e === 'HOUSE_JOIN' && d.id === id)
  return (known ?? (await client.next('HOUSE_JOIN'))).d
}

const nothing = [false, 0]

test('a deleted mention leaves no mark, whether or not anything was read there', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const other = { ...den, room_id: await houseRoom(den) }
  const live = await logIn(app, bob, { extended: true })
  for (const place of [den, other]) {
    const { room_id } = place
    const read = place === den ? await say(ann, room_id, 'read') : undefined
    if (read !== undefined) {
      await call(bob, 'POST', `/rooms/${room_id}/messages/${read}/ack`)
      await live.next('READ_STATE_UPDATE')
    }
    const id = await say(ann, room_id, `<@${bob.id}>`)
    expect(await shownAfterLogin(bob, place)).toEqual([true, 1])
    await remove(ann, room_id, id)
    // The same account of the room by the event of the mention and by that of the message.
    const state = { room_id, message_id: id, mention_count: 0 }
    expect(await nextExact(live, 'READ_STATE_UPDATE')).toEqual(state)
    expect(await nextExact(live, 'READ_STATE_UPDATE')).toEqual(state)
    expect(await shownAfterLogin(bob, place)).toEqual(nothing)
  }
})

test('a room stays unread as long as something is unread', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const ids = [await say(ann, den.room_id, 'one'), await say(ann, den.room_id, `two <@${bob.id}>`)]
  const live = await logIn(app, bob, { extended: true })
  await remove(ann, den.room_id, ids[1]!)
  expect((await nextExact(live, 'READ_STATE_UPDATE')).mention_count).toBe(0)
  expect(await shownAfterLogin(bob, den)).toEqual([true, 0])
  await remove(ann, den.room_id, ids[0]!)
  const last = ids[1]!
  expect(await nextExact(live, 'READ_STATE_UPDATE')).toMatchObject({ message_id: last, mention_count: 0 })
  expect(await shownAfterLogin(bob, den)).toEqual(nothing)
  await say(ann, den.room_id, 'three')
  expect(await shownAfterLogin(bob, den)).toEqual([true, 0])
})

test('a deleted private message takes its mark along, for extended sessions at once', async () => {
  const [ann, bob] = [await user(), await user()]
  const room_id = await oneToOne(ann, bob)
  const [live, older] = [await logIn(app, bob, { extended: true }), await logIn(app, bob)]
  const id = await say(ann, room_id, 'hello')
  await remove(ann, room_id, id)
  const state = { room_id, message_id: id, mention_count: 0 }
  expect(await nextExact(live, 'READ_STATE_UPDATE')).toEqual(state)
  await older.next('MESSAGE_DELETE')
  expect(older.events.map(({ e }) => e)).not.toContain('READ_STATE_UPDATE')
  expect(await shownAfterLogin(bob, { id: null, room_id })).toEqual(nothing)
})

test('exploded mentions, and those that are too old, leave no mark', async () => {
  const [ann, bob] = [await user(), await user()]
  const [den, fen] = [
    await house({ owner: ann, members: [bob] }),
    await house({ owner: ann, members: [bob] }),
  ]
  const live = await logIn(app, bob, { extended: true })
  const exploding = await say(ann, den.room_id, `<@${bob.id}>`, { exploding: true, exploding_age: 3_600 })
  const old = await say(ann, fen.room_id, `<@${bob.id}>`)
  for (const table of ['messages', 'mentions'] as const) {
    const id = table === 'messages' ? 'id' : 'message_id'
    await db
      .updateTable(table)
      .set({ expires_at: new Date(0) })
      .where(id, '=', exploding)
      .execute()
  }
  const { events: exploded } = await deleteExploded(db)
  await bus.deliver(exploded)
  expect(await nextExact(live, 'READ_STATE_UPDATE')).toMatchObject({
    message_id: exploding,
    mention_count: 0,
  })
  const tomorrowMs = -86_400_000
  for (let after: string | null = '0'; after !== null; ) {
    const { answer, events } = await deleteOutdated(db, tomorrowMs, after)
    await bus.deliver(events)
    after = answer.next
  }
  await expect
    .poll(() => live.events.find(({ e, d }) => e === 'READ_STATE_UPDATE' && d.room_id === fen.room_id)?.d)
    .toEqual({ room_id: fen.room_id, message_id: old, mention_count: 0 })
  for (const place of [den, fen]) expect(await shownAfterLogin(bob, place)).toEqual(nothing)
})

test('an edit adds mentions and takes them away, unless the message is read', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const { room_id } = den
  const live = await logIn(app, bob, { extended: true })
  const id = await say(ann, room_id, 'first')
  const edit = (content: string) => call(ann, 'PATCH', `/rooms/${room_id}/messages/${id}`, { content })
  for (const [content, mention_count] of [
    [`<@${bob.id}>`, 1],
    ['nobody', 0],
    [`<@${bob.id}>!`, 1],
  ] as const) {
    await edit(content)
    expect(await nextExact(live, 'READ_STATE_UPDATE')).toEqual({ room_id, message_id: '0', mention_count })
    expect(await shownAfterLogin(bob, den)).toEqual([true, mention_count])
  }
  await call(bob, 'POST', `/rooms/${room_id}/messages/${id}/ack`)
  expect(await nextExact(live, 'READ_STATE_UPDATE')).toMatchObject({ message_id: id })
  await edit('again nobody')
  await live.next('MESSAGE_UPDATE')
  await say(ann, room_id, 'after it')
  await live.next('MESSAGE_CREATE')
  expect(live.passed).not.toContain('READ_STATE_UPDATE')
})
