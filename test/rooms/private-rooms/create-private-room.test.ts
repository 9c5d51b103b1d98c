import { expect, test } from 'vitest'
import { groups } from '../../support/crowds.ts'
import { otherApp } from '../../support/other-app.ts'
import { noPermission, userNotFound } from '../../support/permissions.ts'
import { erase, gatewayUser, participantsOf, roomRow } from '../../support/rooms.ts'
import { untilWaiting } from '../../support/waiting.ts'
import { block, call, db, failure, oneToOne, type Person, published, user } from '../../support/world.ts'

/** How many rooms a user owns or takes part in. */
async function countRooms({ id }: Person): Promise<number> {
  const own = db.selectFrom('room_recipients').select('room_id').where('user_id', '=', id)
  const rooms = db.selectFrom('rooms').select('id')
  const theirs = rooms.where((eb) => eb.or([eb('owner_id', '=', id), eb('id', 'in', own)]))
  return (await theirs.execute()).length
}

/** Expects that a request is refused with this body, creates no room and sends no event. */
async function expectRefused(caller: Person, body: unknown, answer: unknown): Promise<void> {
  const [rooms, events] = [await countRooms(caller), published.length]
  const reply = await call(caller, 'POST', '/users/@me/rooms', body)
  expect(reply.status).toBe(400)
  expect(reply.body).toEqual(answer)
  expect(await countRooms(caller)).toBe(rooms)
  expect(published.length).toBe(events)
}

test('recipient alone creates a one-to-one room with the other user, and sends an event to both', async () => {
  const [ann, ben] = [await user(), await user()]
  const before = published.length
  const answer = await call(ann, 'POST', '/users/@me/rooms', { recipient: ben.id })
  expect(answer.status).toBe(200)
  const { id } = answer.body.data
  expect(answer.body).toEqual({
    success: true,
    data: {
      id,
      house_id: null,
      name: null,
      position: null,
      type: 1,
      emoji: null,
      description: null,
      last_message_id: null,
      permission_overrides: null,
      default_permission_override: null,
      recipients: [gatewayUser(ben)],
      owner_id: null,
    },
  })
  expect(await participantsOf(id)).toEqual([ann.id, ben.id])
  expect(published.slice(before)).toEqual([
    { type: 'private_room_entered', room_id: id, user_id: ann.id },
    { type: 'private_room_entered', room_id: id, user_id: ben.id },
  ])
})

test('a user whose account is deleted concurrently answers user_not_found', async () => {
  const [ann, ben] = [await user(), await user()]
  for (const body of [{ recipient: ben.id }, { recipients: [ben.id] }]) {
    await db.updateTable('users').set({ deleted_at: null }).where('id', '=', ben.id).execute()
    const [opening] = await db.transaction().execute(async (trx) => {
      await trx.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', ben.id).execute()
      const opening = call(ann, 'POST', '/users/@me/rooms', body)
      await untilWaiting(1)
      return [opening]
    })
    expect((await opening!).body).toEqual(userNotFound)
  }
})

test('a repetition by either user returns the existing room and sends no event', async () => {
  const [ann, ben] = [await user(), await user()]
  const first = await call(ann, 'POST', '/users/@me/rooms', { recipient: ben.id })
  const before = published.length
  const again = await call(ann, 'POST', '/users/@me/rooms', { recipient: ben.id, recipients: null })
  const mirrored = await call(ben, 'POST', '/users/@me/rooms', { recipient: ann.id })
  expect(again.body).toEqual(first.body)
  expect(mirrored.body.data).toEqual({ ...first.body.data, recipients: [gatewayUser(ann)] })
  expect(published.length).toBe(before)
})

test('twelve concurrent requests for a one-to-one room create one', async () => {
  const [ann, ben] = [await user(), await user()]
  const before = published.length
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => {
      const [caller, other] = index % 2 === 0 ? [ann, ben] : [ben, ann]
      return call(caller, 'POST', '/users/@me/rooms', { recipient: other.id })
    }),
  )
  expect(answers.map((answer) => answer.status)).toEqual(Array(12).fill(200))
  const ids = new Set(answers.map((answer) => answer.body.data.id))
  expect(ids.size).toBe(1)
  expect((await participantsOf([...ids][0]!)).sort()).toEqual([ann.id, ben.id].sort())
  expect(published.length).toBe(before + 2)
})

test('recipients create a group of all named users, owned by the caller, with an event to all', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const before = published.length
  const body = { recipients: [cat.id, ann.id, ben.id, cat.id], name: 'Picnic' }
  const answer = await call(ann, 'POST', '/users/@me/rooms', body)
  expect(answer.status).toBe(200)
  const { id } = answer.body.data
  expect(answer.body.data).toEqual({
    id,
    house_id: null,
    name: 'Picnic',
    position: null,
    type: 2,
    emoji: null,
    description: null,
    last_message_id: null,
    permission_overrides: null,
    default_permission_override: null,
    recipients: [gatewayUser(cat), gatewayUser(ben)],
    owner_id: ann.id,
  })
  expect(await participantsOf(id)).toEqual([ann.id, cat.id, ben.id])
  expect(await roomRow(id)).toMatchObject({ type: 2, owner_id: ann.id, name: 'Picnic' })
  expect(published.slice(before)).toEqual(
    [ann, cat, ben].map((person) => ({ type: 'private_room_entered', room_id: id, user_id: person.id })),
  )
})

test('one user in recipients creates a new group of two each time', async () => {
  const [ann, ben] = [await user(), await user()]
  const first = await call(ann, 'POST', '/users/@me/rooms', { recipients: [ben.id] })
  const second = await call(ann, 'POST', '/users/@me/rooms', { recipients: [ben.id], name: null })
  expect(first.body.data).toMatchObject({ type: 2, name: null, recipients: [gatewayUser(ben)] })
  expect(second.body.data.id).not.toBe(first.body.data.id)
})

test('recipient and recipients together create one group of all', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const body = { recipient: ben.id, recipients: [cat.id] }
  const answer = await call(ann, 'POST', '/users/@me/rooms', body)
  expect(answer.body.data).toMatchObject({ type: 2, owner_id: ann.id })
  expect((await participantsOf(answer.body.data.id)).sort()).toEqual([ann.id, ben.id, cat.id].sort())
})

test('an empty list with recipient creates a group of two; null means no list', async () => {
  const [ann, ben] = [await user(), await user()]
  for (const recipients of [[], [ann.id], [ben.id, ben.id]]) {
    const answer = await call(ann, 'POST', '/users/@me/rooms', { recipient: ben.id, recipients })
    expect(answer.body.data).toMatchObject({ type: 2, owner_id: ann.id, recipients: [gatewayUser(ben)] })
  }
  const alone = await call(ann, 'POST', '/users/@me/rooms', { recipient: ben.id, recipients: null })
  expect(alone.body.data).toMatchObject({ type: 1, owner_id: null })
  const group = await call(ann, 'POST', '/users/@me/rooms', { recipient: null, recipients: [ben.id] })
  expect(group.body.data).toMatchObject({ type: 2, owner_id: ann.id })
})

test('a body that names no user but the caller answers invalid_schema', async () => {
  const ann = await user()
  const required = failure('invalid_schema', 'Required fields (recipient) not met')
  for (const body of [
    undefined,
    {},
    { recipient: null },
    { recipients: null },
    { recipients: [] },
    { recipient: null, recipients: [] },
    { recipient: ann.id },
    { recipients: [ann.id, ann.id] },
    { recipient: ann.id, recipients: [ann.id] },
    { user: 'x' },
    { name: 5 },
    { recipients: [], name: ' ' },
    { recipient: ann.id, recipients: [ann.id], name: 5 },
  ]) {
    await expectRefused(ann, body, required)
  }
})

test('fields of a wrong type answer invalid_schema with their names', async () => {
  const [ann, ben] = [await user(), await user()]
  const cases: [unknown, string][] = [
    [{ recipient: 5 }, 'recipient'],
    [{ recipient: Number(ben.id) }, 'recipient'],
    [{ recipient: [ben.id] }, 'recipient'],
    [{ recipient: [] }, 'recipient'],
    [{ recipient: [ann.id] }, 'recipient'],
    [{ recipients: ann.id }, 'recipients'],
    [{ recipient: `${ben.id}\u0000` }, 'recipient'],
    [{ recipients: ben.id }, 'recipients'],
    [{ recipients: [ben.id, 7] }, 'recipients'],
    [{ recipients: [ben.id, null] }, 'recipients'],
    [{ recipient: true, recipients: {} }, 'recipient, recipients'],
    [{ recipients: [ben.id], name: 5 }, 'name'],
    [{ recipients: [ben.id], name: '   ' }, 'name'],
    [{ recipients: [ben.id], name: 'x'.repeat(65) }, 'name'],
  ]
  for (const [body, names] of cases) {
    await expectRefused(ann, body, failure('invalid_schema', `Invalid fields (${names})`))
  }
})

test('a group has at most 50 participants with the caller; one more answers invalid_schema', async () => {
  const ann = await user()
  const others = await Promise.all(Array.from({ length: 50 }, () => user()))
  const ids = others.map((person) => person.id)
  const tooMany = failure('invalid_schema', 'Invalid fields (recipients)')
  await expectRefused(ann, { recipients: ids }, tooMany)
  await expectRefused(ann, { recipient: ids[0], recipients: ids.slice(1) }, tooMany)
  const full = await call(ann, 'POST', '/users/@me/rooms', { recipients: [ann.id, ...ids.slice(1), ids[1]] })
  expect(full.status).toBe(200)
  expect(full.body.data.recipients).toHaveLength(49)
})

test('past 200 groups of an owner creation answers limit_reached', async () => {
  const [ann, ben] = [await user(), await user()]
  await groups(ann, [], 199)
  const create = () => call(ann, 'POST', '/users/@me/rooms', { recipients: [ben.id] })
  const events = published.length
  const answers = await Promise.all([create(), create(), create()])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400])
  expect(await countRooms(ann)).toBe(200)
  expect(published.length).toBe(events + 2)
  const full = failure('limit_reached', 'You have reached a limit (groups)')
  await expectRefused(ann, { recipients: [ben.id] }, full)
  // One-to-one rooms and groups of others do not count.
  expect((await call(ann, 'POST', '/users/@me/rooms', { recipient: ben.id })).status).toBe(200)
  expect((await call(ben, 'POST', '/users/@me/rooms', { recipients: [ann.id] })).status).toBe(200)
  const made = answers.find((answer) => answer.status === 200)!.body.data.id
  await call(ann, 'DELETE', `/users/@me/rooms/${made}`)
  expect((await create()).status).toBe(200)
})

test('concurrent groups of the same users cause no deadlock', async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => user()))
  const ids = people.map((person) => person.id)
  const answers = await Promise.all(
    people.flatMap((person) =>
      [1, 2].map(() => call(person, 'POST', '/users/@me/rooms', { recipients: ids })),
    ),
  )
  expect(answers.map((answer) => answer.status)).toEqual(Array(12).fill(200))
})

test('an unknown or deleted user, or no id, answers user_not_found', async () => {
  const [ann, ben, gone] = [await user(), await user(), await user()]
  const room = await oneToOne(ann, gone)
  await erase(gone)
  for (const id of ['1', '0', '', 'ben', '-5', '9'.repeat(30), `0${ben.id}`, gone.id]) {
    await expectRefused(ann, { recipient: id }, userNotFound)
    await expectRefused(ann, { recipients: [ben.id, id] }, userNotFound)
  }
  expect(await roomRow(room)).toBeDefined()
})

test('a block in either direction answers no_permission, even if the room exists', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  await block(ann, ben)
  await block(cat, ann)
  await oneToOne(ann, ben)
  for (const other of [ben, cat]) {
    await expectRefused(ann, { recipient: other.id }, noPermission)
    await expectRefused(ann, { recipients: [dan.id, other.id] }, noPermission)
  }
})

test('a restriction by the other answers no_permission for a new room only', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  await block(ben, ann, 4)
  await block(cat, ann, 4)
  const existing = await oneToOne(ann, ben)
  const found = await call(ann, 'POST', '/users/@me/rooms', { recipient: ben.id })
  expect(found.body.data.id).toBe(existing)
  await expectRefused(ann, { recipient: cat.id }, noPermission)
  await expectRefused(ann, { recipients: [dan.id, ben.id] }, noPermission)
})

test('the caller may create a room with a user whom they restrict', async () => {
  const [ann, ben] = [await user(), await user()]
  await block(ann, ben, 4)
  const answer = await call(ann, 'POST', '/users/@me/rooms', { recipient: ben.id })
  expect(answer.status).toBe(200)
})

test('a wrong content type answers 415', async () => {
  const ann = await user()
  const more = { payload: 'recipient=1', headers: { 'content-type': 'text/plain' } }
  const answer = await call(ann, 'POST', '/users/@me/rooms', undefined, more)
  expect(answer.status).toBe(415)
  expect(answer.body).toEqual(failure('internal_server_error', 'Something went wrong internally'))
})

test('past 20 new private rooms a minute creation answers rate_limit', async () => {
  let time = Date.UTC(2026, 0, 1)
  const limited = await otherApp({ rateLimit: true }, { now: () => time })
  const [ann, ben, cleo] = [await user(), await user(), await user()]
  const open = (person: Person, body: object) => limited.call(person, 'POST', '/users/@me/rooms', body)
  const group = (person: Person) => open(person, { recipients: [ben.id] })
  expect((await open(ann, { recipient: ben.id })).status).toBe(200)
  for (let made = 1; made < 20; made += 1) expect((await group(ann)).status).toBe(200)
  const rooms = await countRooms(ann)
  for (const refused of [await group(ann), await open(ann, { recipient: cleo.id })]) {
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({ error: { code: 'rate_limit' }, expires_at: time / 1000 + 3 })
    expect(refused.headers['retry-after']).toBe('3')
  }
  expect(await countRooms(ann)).toBe(rooms)
  // Existing rooms and other users are not refused.
  expect((await open(ann, { recipient: ben.id })).status).toBe(200)
  expect((await group(cleo)).status).toBe(200)
  time += 3_000
  expect((await group(ann)).status).toBe(200)
})
