import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { newId } from '../../src/ids.ts'
import { attach, houseRow, membersOf, watching } from '../support/houses.ts'
import { rolesAs } from '../support/roles.ts'
import { untilDiscarded } from '../support/store.ts'
import { call, db, failure, house, message, type Person, role, user } from '../support/world.ts'

const outOfScope = failure('out_of_scope', 'caller is not part of the house')

function leave(caller: Person | null, houseId: string) {
  return call(caller, 'DELETE', `/users/@me/houses/${houseId}`)
}

test('leaving answers 204 without body and type, and sends an event with the former member', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const roles = await rolesAs(ann, den.id, [await role(den, { members: [ben] })])
  const { answer, events } = await watching(() => leave(ben, den.id))
  expect(answer.status).toBe(204)
  expect(answer.text).toBe('')
  expect(answer.headers['content-type']).toBeUndefined()
  expect(await membersOf(den.id)).toEqual([ann.id])
  expect(events).toEqual([
    {
      type: 'member_left',
      house_id: den.id,
      user_id: ben.id,
      member: expect.objectContaining({ id: ben.id, house_id: den.id, roles }),
    },
  ])
})

test('leaving deletes roles, overrides and read states, and keeps messages, settings and other houses', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const other = await house({ owner: ann, members: [ben] })
  await role(den, { members: [ben] })
  const words = await message(den.room_id, ben)
  for (const person of [ann, ben]) {
    for (const room_id of [den.room_id, other.room_id]) {
      await db.insertInto('read_states').values({ user_id: person.id, room_id, message_id: words }).execute()
      await db
        .insertInto('room_settings')
        .values({ user_id: person.id, room_id, notification_preference: 1 })
        .execute()
    }
  }
  const override = (person: Person) => ({ id: person.id, type: 1, allow: 0, deny: 1 })
  const both = { [ann.id]: override(ann), [ben.id]: override(ben) }
  await db
    .updateTable('rooms')
    .set({ permission_overrides: JSON.stringify(both) })
    .where('id', 'in', [den.room_id, other.room_id])
    .execute()
  const alone = { id: newId(), house_id: den.id, type: 0, name: 'x', position: 1 }
  const own = JSON.stringify({ [ben.id]: override(ben) })
  await db
    .insertInto('rooms')
    .values({ ...alone, permission_overrides: own })
    .execute()
  await leave(ben, den.id)
  expect(await membersOf(other.id)).toEqual([ann.id, ben.id])
  expect(await db.selectFrom('member_roles').selectAll().where('user_id', '=', ben.id).execute()).toEqual([])
  const roomsIn = async (table: 'read_states' | 'room_settings', person: Person) => {
    const rows = await db.selectFrom(table).select('room_id').where('user_id', '=', person.id).execute()
    return rows.map((row) => row.room_id).sort()
  }
  const inBoth = [den.room_id, other.room_id].sort()
  expect(await roomsIn('read_states', ben)).toEqual([other.room_id])
  expect(await roomsIn('room_settings', ben)).toEqual(inBoth)
  expect(await roomsIn('read_states', ann)).toEqual(inBoth)
  expect(await roomsIn('room_settings', ann)).toEqual(inBoth)
  const rooms = await db
    .selectFrom('rooms')
    .select('permission_overrides')
    .where('house_id', 'in', [den.id, other.id])
    .orderBy('id')
    .execute()
  expect(rooms.map((row) => row.permission_overrides)).toEqual([{ [ann.id]: override(ann) }, both, null])
  expect(
    await db.selectFrom('messages').select('id').where('room_id', '=', den.room_id).execute(),
  ).toHaveLength(1)
})

test('a foreign or unknown house answers out_of_scope', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  for (const id of [den.id, newId(), '0', 'x', '99999999999999999999', '%00']) {
    const answer = await leave(ben, id)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(outOfScope)
  }
  expect(await membersOf(den.id)).toEqual([ann.id])
})

test('ownership passes to administrators, then people, then bots, in order of joining', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  const [bot, boss] = [await user({ bot_of: ann }), await user({ bot_of: ann })]
  const den = await house({ owner: ann, members: [bot, boss, ben, cat, dan] })
  await role(den, { allow: permission.ADMINISTRATOR, position: 1, members: [ben, dan, boss] })
  await role(den, { deny: permission.ADMINISTRATOR, position: 2, members: [ben] })
  const { events } = await watching(() => leave(ann, den.id))
  expect(events).toMatchObject([
    { type: 'member_left', user_id: ann.id },
    { type: 'house_updated', house_id: den.id },
    { type: 'visibility_changed', house_id: den.id, user_ids: [dan.id] },
  ])
  for (const heir of [dan, ben, cat, boss, bot]) {
    expect((await houseRow(den.id))?.owner_id).toBe(heir.id)
    await leave(heir, den.id)
  }
  expect(await houseRow(den.id)).toBeUndefined()
})

test('ownership passes to the longest-standing member, whatever the ids', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [cat, ben] })
  await leave(ann, den.id)
  expect((await houseRow(den.id))?.owner_id).toBe(cat.id)
})

test('a member who is denied ADMINISTRATOR is passed over; of equal roles the older decides', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  const { ADMINISTRATOR } = permission
  const den = await house({ owner: ann, members: [ben, cat, dan], default_permissions: ADMINISTRATOR })
  await role(den, { deny: ADMINISTRATOR, members: [ben] })
  const [older, newer] = [newId(), newId()]
  for (const [id, bits] of [
    [newer, { allow: ADMINISTRATOR }],
    [older, { deny: ADMINISTRATOR }],
  ] as const) {
    const row = { id, house_id: den.id, name: 'role', ...bits }
    await db.insertInto('roles').values(row).execute()
    await db.insertInto('member_roles').values({ house_id: den.id, user_id: cat.id, role_id: id }).execute()
  }
  await leave(ann, den.id)
  expect((await houseRow(den.id))?.owner_id).toBe(dan.id)
})

test('of members who joined at the same time the smaller user id becomes owner', async () => {
  const people = [await user(), await user(), await user()]
  const den = await house({ owner: people[0]!, members: [people[2]!, people[1]!] })
  await db.updateTable('members').set({ joined_at: new Date() }).where('house_id', '=', den.id).execute()
  await leave(people[0]!, den.id)
  expect((await houseRow(den.id))?.owner_id).toBe(people[1]!.id)
})

test("the last member's leaving deletes rooms, messages and files, and sends an event to them only", async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const file = await attach(den.room_id, await message(den.room_id, ann))
  const { answer, events } = await watching(() => leave(ann, den.id))
  expect(answer.status).toBe(204)
  expect(events).toMatchObject([{ type: 'member_left', user_id: ann.id, member: { house_id: den.id } }])
  expect(events).toHaveLength(1)
  expect(await houseRow(den.id)).toBeUndefined()
  await untilDiscarded(file)
  expect(await db.selectFrom('messages').select('id').where('room_id', '=', den.room_id).execute()).toEqual(
    [],
  )
})

test('of concurrent requests one answers 204 and the others out_of_scope', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const { answer, events } = await watching(() =>
    Promise.all(Array.from({ length: 8 }, () => leave(ben, den.id))),
  )
  expect(answer.map((one) => one.status).sort()).toEqual([204, ...Array(7).fill(400)])
  for (const one of answer.filter(({ status }) => status === 400)) expect(one.body).toEqual(outOfScope)
  expect(events).toHaveLength(1)
})

test('when the owner and the next owner leave at once, a remaining member owns the house', async () => {
  for (let round = 0; round < 10; round++) {
    const [ann, ben, cat] = [await user(), await user(), await user()]
    const den = await house({ owner: ann, members: [ben, cat] })
    const answers = await Promise.all([leave(ann, den.id), leave(ben, den.id)])
    expect(answers.map((one) => one.status)).toEqual([204, 204])
    expect((await houseRow(den.id))?.owner_id).toBe(cat.id)
    const pair = await house({ owner: ann, members: [ben] })
    await Promise.all([leave(ann, pair.id), leave(ben, pair.id)])
    expect(await houseRow(pair.id)).toBeUndefined()
  }
})
