import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { moderatedHouse, noPermission, told } from '../support/permissions.ts'
import { untilWaiting } from '../support/waiting.ts'
import { call, db, houseRoom } from '../support/world.ts'

test.each([
  ['PATCH', '', { name: 'hall' }],
  ['PATCH', '/default-permissions', { allow: 0, deny: 1 }],
  ['DELETE', '', undefined],
] as const)(
  '%s /rooms/:id%s by who loses MANAGE_ROOMS while they wait answers no_permission',
  async (...change) => {
    const [method, path, body] = change
    const den = await moderatedHouse(permission.MANAGE_ROOMS)
    await houseRoom(den)
    const [asking] = await db.transaction().execute(async (trx) => {
      await trx.selectFrom('houses').select('id').where('id', '=', den.id).forUpdate().execute()
      await trx.deleteFrom('member_roles').where('role_id', '=', den.moderator_role_id).execute()
      const asked = call(den.moderator, method, `/rooms/${den.room_id}${path}`, body)
      await untilWaiting(1)
      return [asked]
    })
    expect(told(await asking!)).toEqual([400, noPermission])
  },
)
