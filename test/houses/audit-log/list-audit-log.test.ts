import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { deleteOldEntries } from '../../../src/houses/audit-log/operations.ts'
import { permission } from '../../../src/houses/permissions.ts'
import { firstIdAt } from '../../../src/ids.ts'
import { auditRows, readAuditLog } from '../../support/audit-log.ts'
import { listIds, refusesWrongPages } from '../../support/messages.ts'
import { houseNotFound, invalid, moderatedHouse, noPermission, told } from '../../support/permissions.ts'
import { call, db, expectTime, group, house, message, role, user } from '../../support/world.ts'

const { ADMINISTRATOR, MODERATE_ROOM } = permission
const dayMs = 86_400_000

test('an entry says who changed what, from what to what, when and why', async () => {
  const den = await moderatedHouse(ADMINISTRATOR)
  const headers = { 'x-audit-reason': encodeURIComponent('Zu viel Lärm, sorry 🚀') }
  await call(den.moderator, 'PATCH', `/houses/${den.id}`, { name: 'Lair', description: 'dark' }, { headers })
  const [entry] = await readAuditLog(den.moderator, den.id)
  const { id, username } = den.moderator
  expect(entry).toEqual({
    id: expect.stringMatching(/^\d+$/),
    house_id: den.id,
    action: 'house_updated',
    actor: { id, username, name: username, icon: null, header: null, flags: 0, bot: false },
    target_id: den.id,
    target_type: 'house',
    changes: [
      { key: 'name', old: 'Den', new: 'Lair' },
      { key: 'description', old: null, new: 'dark' },
    ],
    reason: 'Zu viel Lärm, sorry 🚀',
    created_at: expectTime,
  })
})

test('what is done to people, roles, rooms, invites and messages is told by key', async () => {
  const den = await moderatedHouse(ADMINISTRATOR)
  const { owner, member } = den
  const at = `/houses/${den.id}`
  const made = (await call(owner, 'POST', `${at}/roles`, { name: 'Guards', position: 3 })).body.data
  await call(owner, 'PATCH', `${at}/roles/${made.id}`, { allow: 2 })
  await call(owner, 'PUT', `${at}/members/${member.id}/roles/${made.id}`)
  await call(owner, 'PUT', `/rooms/${den.room_id}/overrides/${made.id}`, { type: 0, allow: 1, deny: 0 })
  await call(owner, 'PATCH', `/rooms/${den.room_id}/default-permissions`, { allow: 0, deny: 1 })
  await call(owner, 'DELETE', `/rooms/${den.room_id}/overrides/${made.id}`)
  await call(owner, 'PATCH', `/rooms/${den.room_id}`, { emoji: 'fire' })
  const { code } = (await call(owner, 'POST', `${at}/invites`, { max_uses: 3 })).body.data
  const said = await message(den.room_id, member)
  await call(owner, 'DELETE', `/rooms/${den.room_id}/messages/${said}`)
  await call(owner, 'PUT', `${at}/bans/${member.id}`, { reason: 'spam' })
  await call(owner, 'DELETE', `${at}/bans/${member.id}`)
  await call(owner, 'PATCH', `${at}/owner`, { user_id: den.moderator.id })
  const told = (await readAuditLog(den.moderator, den.id)).reverse().map((entry: Entry) => {
    const changes = entry.changes.map(({ key, old, new: now }) => [key, old, now])
    return [entry.action, entry.target_type, entry.target_id, ...changes]
  })
  const override = { type: 0, allow: 1, deny: 0 }
  expect(told).toEqual([
    [
      'role_created',
      'role',
      made.id,
      ['name', null, 'Guards'],
      ['position', null, 3],
      ['color', null, '#99aab5'],
      ['allow', null, 0],
      ['deny', null, 0],
    ],
    ['role_updated', 'role', made.id, ['allow', 0, 2]],
    ['role_given', 'user', member.id, ['role_id', null, made.id]],
    ['override_updated', 'room', den.room_id, [`permission_overrides.${made.id}`, null, override]],
    [
      'override_updated',
      'room',
      den.room_id,
      ['default_permission_override', { allow: 0, deny: 0 }, { allow: 0, deny: 1 }],
    ],
    ['override_removed', 'room', den.room_id, [`permission_overrides.${made.id}`, override, null]],
    ['room_updated', 'room', den.room_id, ['emoji', null, 'fire']],
    ['invite_created', 'invite', code, ['creator_id', null, owner.id], ['max_uses', null, 3]],
    ['message_deleted', 'message', said, ['room_id', den.room_id, null], ['author_id', member.id, null]],
    ['member_banned', 'user', member.id, ['reason', null, 'spam']],
    ['ban_lifted', 'user', member.id, ['reason', 'spam', null]],
    ['owner_changed', 'user', den.moderator.id, ['owner_id', owner.id, den.moderator.id]],
  ])
})
type Entry = {
  action: string
  target_type: string
  target_id: string
  changes: { key: string; old: unknown; new: unknown }[]
}

test('an owner who leaves, or whose account ends, hands the house over in the log', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cat] })
  await call(ann, 'DELETE', `/users/@me/houses/${den.id}`)
  expect(await readAuditLog(ben, den.id)).toMatchObject([
    { action: 'owner_changed', actor: { id: ann.id }, target_id: ben.id },
  ])
})

test('what changes nothing, is refused, or everybody may do writes no entry', async () => {
  const den = await moderatedHouse(MODERATE_ROOM)
  const { owner, member, moderator } = den
  const at = `/houses/${den.id}`
  const same = await role(den, { members: [member] })
  const own = await message(den.room_id, member)
  await call(owner, 'PATCH', at, { name: 'Den' })
  await call(owner, 'PATCH', `/rooms/${den.room_id}`, { name: 'general' })
  await call(owner, 'PATCH', `${at}/roles/${same}`, { name: 'role' })
  await call(owner, 'PUT', `${at}/members/${member.id}/roles/${same}`)
  await call(owner, 'DELETE', `/rooms/${den.room_id}/overrides/${same}`)
  await call(owner, 'DELETE', `${at}/icon`)
  await call(owner, 'PATCH', `${at}/owner`, { user_id: owner.id })
  await call(owner, 'PATCH', `${at}/entities/${den.entity_id}`, { name: 'Rooms' })
  await call(member, 'DELETE', `/rooms/${den.room_id}/messages/${own}`)
  await call(member, 'POST', `/rooms/${den.room_id}/messages`, { content: 'x' })
  await call(moderator, 'PATCH', at, { name: 'Mine' })
  await call(moderator, 'DELETE', `/users/@me/houses/${den.id}`)
  const gang = await group(owner, member)
  await call(owner, 'PATCH', `/rooms/${gang}`, { name: 'trio' })
  await call(owner, 'DELETE', `/rooms/${gang}/messages/${await message(gang, member)}`)
  expect(await auditRows(den.id)).toEqual([])
  expect(await db.selectFrom('audit_log').select('id').where('house_id', '=', gang).execute()).toEqual([])
})

test('the same override again writes no entry', async () => {
  const den = await house({ owner: await user() })
  const path = `/rooms/${den.room_id}/overrides/${await role(den)}`
  for (let i = 0; i < 2; i += 1) await call(den.owner, 'PUT', path, { type: 0, deny: 1, allow: 0 })
  expect(await auditRows(den.id)).toHaveLength(1)
})

test('a reason that is no line of 512 characters refuses the request', async () => {
  const den = await house({ owner: await user() })
  const make = (reason: string) => {
    const headers = { 'x-audit-reason': reason }
    return call(den.owner, 'POST', `/houses/${den.id}/invites`, {}, { headers })
  }
  for (const reason of [
    '%',
    '%zz',
    '%ff',
    '%0A',
    '%00',
    'x'.repeat(513),
    encodeURIComponent('é'.repeat(513)),
  ]) {
    expect([reason, ...told(await make(reason))]).toEqual([reason, 400, invalid('X-Audit-Reason')])
  }
  for (const reason of ['', ' ', 'plain', encodeURIComponent('🚀'.repeat(512))]) await make(reason)
  const reasons = (await auditRows(den.id)).map((row) => row.reason)
  expect(reasons).toEqual([null, null, 'plain', '🚀'.repeat(512)])
})

test('only administrators read it', async () => {
  const den = await moderatedHouse(ADMINISTRATOR)
  const at = `/houses/${den.id}/audit-log`
  expect((await call(den.moderator, 'GET', at)).status).toBe(200)
  expect(told(await call(den.member, 'GET', at))).toEqual([400, noPermission])
  expect(told(await call(await user(), 'GET', at))).toEqual([404, houseNotFound])
})

test('the list has pages and filters', async () => {
  const den = await moderatedHouse(ADMINISTRATOR)
  const { owner, moderator } = den
  const at = `/houses/${den.id}/audit-log`
  for (const [by, name] of [
    [owner, 'a'],
    [moderator, 'b'],
    [owner, 'c'],
    [moderator, 'd'],
  ] as const) {
    await call(by, 'PATCH', `/houses/${den.id}`, { name })
  }
  await call(owner, 'POST', `/houses/${den.id}/invites`, {})
  const ids = await listIds(owner, at)
  expect(ids).toEqual(ids.toSorted().reverse())
  expect(ids).toHaveLength(5)
  expect(await listIds(owner, `${at}?limit=2`)).toEqual(ids.slice(0, 2))
  expect(await listIds(owner, `${at}?limit=2&before=${ids[1]}`)).toEqual(ids.slice(2, 4))
  expect(await listIds(owner, `${at}?limit=2&after=${ids[4]}`)).toEqual(ids.slice(2, 4))
  expect(await listIds(owner, `${at}?limit=3&around=${ids[2]}`)).toEqual(ids.slice(1, 4))
  expect(await listIds(owner, `${at}?user_id=${moderator.id}`)).toEqual([ids[1], ids[3]])
  expect(await listIds(owner, `${at}?action=invite_created`)).toEqual([ids[0]])
  expect(await listIds(owner, `${at}?action=house_updated&user_id=${owner.id}&limit=1`)).toEqual([ids[2]])
  expect(await listIds(owner, `${at}?action=never_heard_of`)).toEqual([])
  await refusesWrongPages(owner, at)
  for (const [query, field] of [
    ['action=A', 'action'],
    ['action=', 'action'],
    ['user_id=x', 'user_id'],
  ]) {
    expect(told(await call(owner, 'GET', `${at}?${query}`))).toEqual([400, invalid(field!)])
  }
})

test('an entry is listed and kept for 90 days', async () => {
  const den = await house({ owner: await user() })
  for (const days of [0, 89, 91]) {
    const id = firstIdAt(Date.now() - days * dayMs)
    await sql`insert into audit_log (house_id, id, actor_id, action, changes)
      values (${den.id}, ${id}, ${den.owner.id}, ${`day_${'x'.repeat(days)}`}, '[]')`.execute(db)
  }
  expect(await readAuditLog(den.owner, den.id)).toHaveLength(2)
  await deleteOldEntries(db, 90)
  expect(await auditRows(den.id)).toHaveLength(2)
})
