import { expect, test } from 'vitest'
import { boundChanges } from '../../../src/houses/audit-log/bound-operations.ts'
import { auditRows, readAuditLog } from '../../support/audit-log.ts'
import { call, house, houseRoom, user } from '../../support/world.ts'

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

test('a list of many rooms is cut, with the count of those that are left out', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  for (let n = 0; n < 99; n += 1) await houseRoom(den)
  const entity = `/houses/${den.id}/entities/${den.entity_id}`
  const rooms = (await call(ann, 'GET', `/houses/${den.id}`)).body.data.rooms.map(
    (room: { id: string }) => room.id,
  )
  const put = (ids: string[]) => {
    const pointers = ids.map((resource_id) => ({ resource_type: 'room', resource_id }))
    return call(ann, 'PATCH', entity, { resource_pointers: pointers })
  }
  expect((await put(rooms)).status).toBe(200)
  const reversed = rooms.toReversed()
  expect((await put(reversed)).status).toBe(200)
  const [{ changes }] = await readAuditLog(ann, den.id)
  const change = changes.find(({ key }: { key: string }) => key === 'room_ids')
  expect(change.new).toEqual(reversed.slice(0, change.new.length))
  expect(change.new.length).toBeGreaterThan(20)
  expect(change.new.length + change.new_omitted).toBe(100)
  expect(change.old.length + change.old_omitted).toBe(100)
  for (const row of await auditRows(den.id)) expect(bytes(row.changes)).toBeLessThan(2_200)
})

test('the largest change of a house fits, its texts cut between characters', () => {
  const text = (character: string, count: number) => character.repeat(count)
  const changes = [
    { key: 'name', old: text('🏠', 100), new: text('🏡', 100) },
    { key: 'description', old: text('🔥', 512), new: text('ä', 512) },
    { key: 'default_permissions', old: 1_048_575, new: 0 },
    { key: 'icon', old: text('a', 45), new: text('b', 45) },
  ]
  const bounded = boundChanges(changes)
  expect(bytes(bounded)).toBeLessThan(2_200)
  expect(bounded[0]).toEqual(changes[0])
  expect(bounded[1]).toEqual({
    key: 'description',
    old: text('🔥', 120),
    new: text('ä', 240),
    old_omitted: 392,
    new_omitted: 272,
  })
  expect(bounded.slice(2)).toEqual(changes.slice(2))
})

test('what fits stays as it is', () => {
  const changes = [{ key: 'description', old: 'x'.repeat(512), new: 'y'.repeat(512) }]
  expect(boundChanges(changes)).toBe(changes)
})
